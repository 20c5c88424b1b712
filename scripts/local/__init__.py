"""The whole service on one machine, without Docker or an AWS account: `make dev`, `make up`, `make down`.

    settings    where a stack lives, its port and its parameters
    progress    one line per step, with the seconds since the start
    processes   find and stop exactly the process that was started
    emulator    MiniStack: start, health, stop
    ministack   MiniStack's own process, with what this project changes in it
    aws_limits  what AWS refuses and MiniStack doesn't
    build       `sam build`, only when a source changed
    deployment  `sam deploy` into the emulator, only when the build or a parameter changed
    seed        a demo organization, and the project's own guides as its knowledge
    stack       all of these in order

What a stack writes is under `.local/<port>/`; builds are shared, under `.local/build/`.
"""
