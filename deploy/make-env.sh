#!/bin/sh
# Makes .env beside docker-compose.yml: secrets of its own, and the settings one may want to change. Keeps one that is there.
set -eu
cd "$(dirname "$0")/.."
if [ -e .env ]; then
  echo '.env is there already, and was left as it is' >&2
  exit 1
fi
secret() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }

umask 077
cat > .env <<END
# Made by deploy/make-env.sh. Keep a copy in a safe place: without SVC_ENCRYPTION_KEY no TOTP device works.
POSTGRES_PASSWORD=$(secret 16)
POSTGRES_SUPERUSER_PASSWORD=$(secret 16)
JWT_SECRET=$(secret 32)
SVC_ENCRYPTION_KEY=$(secret 32)
GRAFANA_PASSWORD=$(secret 12)
# For /metrics, of the servers and of Prometheus.
SVC_METRICS_TOKEN=$(secret 32)

# Organizations at <slug>.findings.example.com; unset: one host, http://localhost:8080.
#SVC_BASE_DOMAIN=findings.example.com
#SVC_PUBLIC_URL=https://findings.example.com
# The production profile: unverified accounts are closed out, invitations pending, sign-ins limited.
SVC_STRICT=on

# Unset: mails are caught, and shown at http://localhost:8025.
#SVC_SMTP_URL=smtps://user:password@mail.example.com
#SVC_MAIL_FROM=svc-findings <findings@example.com>

# Profiles that are started, and what they need besides.
#COMPOSE_PROFILES=replicas,pgbouncer,monitoring
# replicas:
#SVC_TRUST_PROXY=on
# pgbouncer:
#DATABASE_HOST=pgbouncer:6432

# Where it listens: an address and a port, or a port of all addresses. The second is the load balancer's.
#SVC_PUBLISH=127.0.0.1:8080
#LB_PUBLISH=127.0.0.1:8000
END
echo 'made .env'
