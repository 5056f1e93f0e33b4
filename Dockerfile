# The one-file executable on a bare Debian. Build: docker build -t tollgate .
FROM node:22-bookworm-slim AS build
WORKDIR /source
COPY . .
RUN node scripts/release.mjs --platforms linux-$(node -p process.arch) && mv release/tollgate-linux-* /tollgate

FROM debian:bookworm-slim
# Certificates of the upstreams; nothing else is needed.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/* \
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
