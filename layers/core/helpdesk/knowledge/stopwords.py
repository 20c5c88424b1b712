"""Words that say little or nothing about the subject of a question.

English only, like the stemming of the index. Words of other languages are unaffected.
"""

_STOP_WORDS = """
    a about above after again all also always am an and any anybody anyone anything are aren as at be because been
    before being below between both but by can cannot can't could couldn d did didn do does doesn doing don done down
    during each either else ever every everything few for from further get gets getting give gives go goes going gone
    got had hadn has hasn have haven having he her here hers him his how i if in into is isn it its itself just kind
    know let like ll look looking lot m make makes many may maybe me might mine more most much must my myself need
    needs neither no nobody nor not nothing now o of off often ok okay on once one only onto or other others ought our
    ours out over own per please possible quite rather re really s same say see seem shall she should so some somebody
    someone something still such sure t take than that the their theirs them then there these they thing things this
    those though through to too try trying under until up upon us use used using ve very via want wants was wasn way we
    were weren what whatever when whenever where wherever whether which while who whoever whom whose why will wish with
    within without won would wouldn yet you your yours yourself able actually allow allowed already anyway bit both
    exactly happen happens hello hey hi dear thanks thank cheers best regards good morning evening afternoon day today
    question questions wondering wonder tell explain help mean means able
    pls plz whats hows wheres whos theres thats im ive id youre theyre dont doesnt didnt cant wont isnt arent wasnt
    shouldnt couldnt havent hasnt aint thing things regarding
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that are ignored. The list has every form of a word, because it is compared before stemming."""

_LOW_WEIGHT_WORDS = """
    went come comes came coming stand stands stood left leave leaves turn turns jump jumped step stepped point points
    although though anymore themselves themself everybody someone show shows showing appear appears exist exists work
    works working worked run runs running hand certain become becomes pull two three five several many told says said
    quickly roll side sides night nights week month year years yesterday tomorrow last next first second big bigger
    small little long short good well better nice simple simply easy easily fast quick hard feed put puts takes taken
    bring brings give given keep keeps stuff something place places part parts bunch amount roughly approximately
    instead else around together automatically manually currently support supports supported provide provides provided
    offer offers offered include includes included available needed user handle handles deal purpose idea advice tips
    tip recommend understand known find found figure love hope urgent information info details detail different own
    whole entire main general normal usual default current latest new old
    ability accident accidentally across afterwards against ahead almost along among annoyed annoying another
    anywhere apart apparently aside ask asked asking asks assume attempting away awesome back basically beforehand
    behave behaved behaves behind believe beyond bits boss brand built bump capable carry case cases certainly
    circumstances clearly completely concerning confuse confused confusing cool correct correctly couple curious
    dealing decide decided definitely dig discuss dive doable dozen drag drop dude dump dunno earlier early eat
    enough entirely eventually everywhere exact expect expected expecting fairly fall far feasible feel feels felt
    finally fine folks forward fresh fully funny generally gonna gotta grab great grow guy guys half happened
    happening hit honestly hop hoping hours huge immediately impossible instantly intend intended intentionally
    keeping kick kinda lately later lay literally lives living lots madam made making man manage managed massive
    meanwhile mention mentioned moment mostly near nearby nearly needing never newly normally nowadays nowhere
    obvious obviously odd parallel particular partly perhaps pick piece pieces planning plenty pop precise prefer
    preferred presently pretty probably proper properly rarely real recently refer referring refers regarding remain
    remainder remains rest right rightly rip rise scenario sec seemed seems seriously sets simultaneous
    simultaneously sir sit situation someday somehow sometime sometimes somewhere soon sorta sound sounds spare
    speaking specific spoke stay staying stays stick straightforward strange struggle struggling suddenly suppose
    supposedly talk talking talks task tear think thinks thought throw tiny tonight total totally toward towards
    tried tries turned turning typically unable unclear understanding understood usually various wanna wanted
    wanting weekday weekend weird wondered
"""
LOW_WEIGHT_WORDS = frozenset(_LOW_WEIGHT_WORDS.split())
"""Words with a low weight: they rarely are the subject of a question, but may be that of a document."""
