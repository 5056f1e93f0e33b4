# The one-file executable on a bare Debian. Build: docker build -t tollgate .
FROM node:22-bookworm-slim AS build
WORKDIR /source
COPY . .
RUN node scripts/release.mjs --platforms linux-$(node -p process.arch) && mv release/tollgate-linux-* /tollgate

FROM debian:bookworm-slim
# For `tollgate backup` and the backups by time: pg_dump of the PostgreSQL project's own repository, because Debian's is older than
# the servers that people run, and an older pg_dump refuses a newer server. It reads servers of this version and of older ones.
ARG POSTGRES_CLIENT=18
# Certificates of the upstreams, and the client; postgresql-common only has the repository's key and the script that adds it.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates postgresql-common \
  && /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y \
  && apt-get install --yes --no-install-recommends "postgresql-client-${POSTGRES_CLIENT}" \
  && apt-get purge --yes --auto-remove postgresql-common && rm -rf /var/lib/apt/lists/* && pg_dump --version \
  && useradd --uid 10001 --create-home --home-dir /data tollgate
COPY --from=build /tollgate /usr/local/bin/tollgate
USER tollgate
ENV DATA_DIR=/data
VOLUME /data
EXPOSE 3000
# Longer than DRAIN_SECONDS, see compose.yaml.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["tollgate", "health"]
ENTRYPOINT ["tollgate"]
CMD ["start"]
