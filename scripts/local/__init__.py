"""The whole service on one machine, without Docker or an AWS account: `make dev`, `make up`, `make down`.

    settings    where a stack lives, its port and its parameters
    progress    one line per step, with the seconds since the start
    processes   a process that is surely the one that was started
    emulator    MiniStack: start, health, stop
    build       `sam build`, only when a source changed
    schedules   which functions template.yaml runs by a schedule, and when they are due
    scheduler   runs them beside the emulator, which does not
    deployment  `sam deploy` into the emulator, only when the build or a parameter changed
    seed        a demo organization, and the project's own guides as its knowledge
    stack       all of it in order

What a stack writes is under `.local/<port>/`; builds are shared, under `.local/build/`.
"""
