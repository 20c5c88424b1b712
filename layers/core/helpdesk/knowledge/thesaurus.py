"""Words that visitors and documents use for the same thing.

General English of customer support: accounts, money, orders, messages, software and operations. The embedded answerer
has no language model, so it knows no other synonyms. A word may occur in several lines. Words are compared by their
stem.
"""

from collections.abc import Callable, Iterable

GROUPS: tuple[frozenset[str], ...] = tuple(
    frozenset(line.split())
    for line in """
        customer visitor user shopper buyer guest enduser
        organization organisation tenant company brand firm
        team staff support colleague teammate coworker employee crew helpdesk
        human person teammate colleague operator someone
        member teammate colleague coworker employee
        agent bot assistant robot chatbot ai
        model llm gpt openai claude chatgpt
        admin administrator operator
        conversation thread chat ticket case dialog discussion
        message text msg
        reply answer respond response react reaction
        question query ask inquiry
        history transcript past earlier previous
        knowledge article
        document article doc
        documentation docs reference guide manual handbook swagger
        openapi swagger specification spec schema
        tutorial quickstart guide introduction walkthrough
        file attachment upload document media
        picture image photo screenshot pic avatar logo
        video film clip movie
        upload submit
        download fetch get retrieve
        url address link uri
        address domain host hostname location
        domain subdomain dns
        server backend
        webhook hook callback push
        endpoint receiver listener handler url
        event notification
        notify notification alert inform tell
        alarm alert warning
        email mail inbox
        subscribe register sign listen
        register registration add subscribe
        receive arrive
        arrive deliver come reach land
        delivery dispatch send
        key token credential
        credential password login secret
        token session credential
        login signin logon authenticate
        authentication authorization authorize credential unauthorized login
        unauthorized 401 unauthenticated
        forbidden 403 permission denied
        permission right role privilege access
        permission allow grant
        role permission right
        signature sign signed hmac hash
        verify verification check validate authentic genuine
        genuine authentic real trust legit
        leak leaked stolen stole steal compromised exposed
        forge fake spoof forged hacker attacker tamper impersonate
        attack attacker hacker exploit abuse
        replay repeat resend
        revoke rotate invalidate disable
        rotate renew replace change
        secure security safe safety protect protection
        safe protect
        private internal intranet local
        public visible everyone open
        encrypt encryption cipher tls
        isolate separate apart separation segregate
        see view read show
        read view open browse list
        list overview
        find search locate lookup
        search match matching
        inspect examine debug look
        create add
        add insert attach include append
        delete remove erase wipe purge destroy clear
        cancel terminate unsubscribe stop abort
        stop end quit halt off shutdown disable
        disable off deactivate
        enable on activate
        start begin launch boot
        change edit update modify adjust alter set
        update upgrade new newer newest release version
        replace swap exchange
        name rename call
        configure configuration setting option parameter preference
        setting preference toggle flag
        personality tone style manner voice character
        friendly casual formal tone
        language languages spoken multilingual translation
        limit maximum max quota allowance cap restriction
        allowance quota limit budget
        rate throttle throttled limited
        throttle 429 rate
        size length long large big biggest
        size kilobyte megabyte mb kb gb meg bytes
        character letter char chars
        burst spike peak
        scale spike traffic load volume grow growth
        price cost pricing fee charge bill expensive
        bill invoice payment billing
        refund reimbursement repayment money
        cost bill spend
        cheap low save
        plan tier subscription package
        free gratis open
        licence license copyright opensource
        order purchase
        parcel package shipment delivery
        ship shipping send deliver
        error failure problem fail issue exception fault trouble bug
        fail failing failed break breaks broken wrong
        broken damaged defective
        wrong invalid incorrect bad
        reject refuse refused rejected deny decline
        code error
        missing absent lost gone
        lost lose forgot forgotten
        recover restore recovery backup
        database table data dynamodb
        backup snapshot restore
        attempt try retry repeat again
        retry again repeat resend
        retry backoff attempt
        wait pause delay interval backoff
        timeout deadline seconds limit
        quick fast speed
        slow slowly latency late
        twice double duplicate duplicated two
        duplicate repeat twice
        order sequence
        downtime outage interruption
        offline down unavailable outage unreachable
        keep kept store retention retain save remain
        expire expired expiry lapse
        old earlier former
        reset clear wipe fresh anew
        deploy deployment rollout install installation setup production
        production live prod
        stage environment staging
        stack deployment installation instance system
        install setup deploy
        requirement prerequisite need needed required
        require need mandatory
        cloud aws amazon
        laptop local locally localhost machine macbook computer pc
        emulator simulate emulate simulation mock fake
        test testing try simulate check
        example sample snippet demo
        code snippet program script
        library sdk package client helper
        generate autogenerate
        compute calculate derive
        log logs record audit journal trail
        audit history trail
        dashboard metrics metric graph graphs monitoring chart
        monitor watch observe
        trace find track
        cpu processor architecture x86 arm
        port socket
        terminal shell console cli commandline
        television tv
        browser web
        widget chatbox
        website site page homepage
        app application
        phone mobile iphone android smartphone
        device phone desktop tablet
        header field
        field property attribute parameter key json
        body payload content text
        format form
        example json sample
        page paging pagination cursor
        transfer hand handover escalate pass forward
        take takeover assume
        resolve close done finish finished solved complete settle
        close closed resolve shut
        reopen undo
        escalate handoff transfer
        wait awaiting waiting pending
        silent quiet mute shut silence
        why reason cause
        invent hallucinate hallucination guess fabricate
        instruct inject injection prompt manipulate trick
        firewall allowlist whitelist ip
        redirect 301 302
        proxy gateway
        network intranet lan vpn
        personal private gdpr privacy
        leave outside leak external
        duty responsibility must obligation
        difference differ differs distinction versus
        kind type sort category
        mean meaning stand signify
    """.strip().splitlines()
)

ABBREVIATIONS = {
    "dlq": "dead letter queue",
    "ssrf": "webhook private address",
    "sig": "signature",
    "auth": "authentication",
    "creds": "credentials",
    "prod": "production",
    "env": "environment",
    "config": "configuration",
    "db": "database",
    "docs": "documentation",
    "repo": "repository",
    "org": "organization",
    "conv": "conversation",
    "attachments": "attachment",
    "pic": "picture",
    "pics": "pictures",
    "ids": "id",
    "msgs": "messages",
    "msg": "message",
    "mins": "minutes",
    "secs": "seconds",
}
"""Short forms, which are written out before a question is split into terms."""


def by_term(terms: Callable[[str], Iterable[str]]) -> dict[str, frozenset[str]]:
    """Return the synonyms of each term; `terms` splits a text into terms."""
    found: dict[str, frozenset[str]] = {}
    for group in GROUPS:
        members = frozenset(term for word in sorted(group) for term in terms(word))
        for member in members:
            found[member] = found.get(member, frozenset()) | (members - {member})
    return found
