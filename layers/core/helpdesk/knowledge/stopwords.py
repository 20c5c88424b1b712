"""Words that say little or nothing about the subject of a question.

Those of English, and of languages without spaces between words. The search library has lists for others.
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

_INCIDENTAL_WORDS = """
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun weekday
    weekend january february march april june july august september october november december jan feb mar apr jun jul
    aug sep sept oct nov dec today tomorrow yesterday tonight morning noon afternoon evening week weeks month months
    year years ago last next earlier recently lately lunchtime easter christmas
"""
INCIDENTAL_WORDS = frozenset(_INCIDENTAL_WORDS.split())
"""Words that date the visitor's own case. A question loses nothing if no document has them."""

ABBREVIATIONS = {
    "auth": "authentication",
    "config": "configuration",
    "creds": "credentials",
    "db": "database",
    "docs": "documentation",
    "env": "environment",
    "ids": "id",
    "mins": "minutes",
    "msg": "message",
    "msgs": "messages",
    "org": "organization",
    "pic": "picture",
    "pics": "pictures",
    "prod": "production",
    "repo": "repository",
    "secs": "seconds",
}
"""Short forms, which are written out before a question is split into terms."""

QUESTION_WORDS = {
    "zh": (
        "请问|请教|为什么|怎么样|怎么办|怎么|怎样|如何|什么时候|什么意思|什么|哪里|哪儿|哪些|多少|多久|是否|能不能|可不可以|可以|能否|有没有|"
        "應該|請問|為什麼|怎麼|什麼|哪裡|我们|你们|您们|我的|你们的|一下|[我你您吗嗎呢吧的了是]"
    ),
    "ja": (
        "どうすれば|どうしたら|どうやって|どのように|どのくらい|どれくらい|どうして|なぜ|いつ|どこ|ですか|ますか|でしょうか|ませんか|"
        "ください|教えて|できますか|できます|したい|たいです|いいです|よいです|良いです|について|なんですか|何です|方法|場合|こと|"
        "です|ます|ません|でした|ました|して|した|する|ある|いる|から|まで|[はがをにでのとへもや]"
    ),
    "ko": (
        "어떻게|어디서|어디에|언제|얼마나|무엇을|무엇|왜|하나요|되나요|있나요|인가요|나요|할 수|수 있|합니까|"
        "입니까|습니까|하고 싶|싶어요|싶습니다|알려|주세요|해야|하려면|제가|저는|제 |내 |하는|방법"
    ),
    "th": (
        "หมายความว่า|อย่างไร|ยังไง|ทำไม|เมื่อไหร่|เมื่อไร|ที่ไหน|เท่าไหร่|เท่าไร|อะไร|กี่|ได้ไหม|หรือไม่|ไหม|มั้ย|"
        "ครับ|ค่ะ|คะ|ฉัน|ผม|ของ|ต้องการ|ต้อง|ทำ|อยาก|จะ|ได้|ที่|และ|หรือ|เป็น|มี"
    ),
}
"""What a question has beside its subject in languages without spaces between words, as regular expressions. The
question is cut there."""
