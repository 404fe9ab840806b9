"""How gunicorn serves the board: `gunicorn -c deploy/gunicorn.conf.py board.wsgi`. Options on the command line win."""

import os

bind = "127.0.0.1:8000"

# One process folds the log once and answers from memory; each further one folds it again and uses another core.
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
# gunicorn's threads, which here get a request when all of it has come, and are free when its answer is made.
worker_class = "board.serving.worker.PatientWorker"
threads = 8

# Every open board asks for news once a second. A connection that lives longer than that pause is made once, not each
# second; and each open tab keeps one, so there are more of them than of anything else.
keepalive = 15
worker_connections = 1500
backlog = 1024

# Seconds a client may pause within a request or an answer, and a process's loop may be silent.
timeout = 30
graceful_timeout = 15

# Without a socket to steer it nobody else on the machine can.
control_socket_disable = True

# Behind a proxy on this machine: its word on scheme and address is taken, nobody else's.
forwarded_allow_ips = "127.0.0.1,::1"

# A worker's heartbeat file on a disk can block on that disk.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # nosec B108 # gunicorn makes a file there that has no name

accesslog = None
errorlog = "-"
