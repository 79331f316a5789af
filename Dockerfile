# Two stages: what compiles stays in the first one.
FROM node:24.21.0-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY tools tools
COPY packages packages
RUN npm ci --workspaces=false --ignore-scripts
COPY actors actors
COPY src src
COPY kernels kernels
COPY scripts scripts
COPY dashboard dashboard
COPY bench/history.ndjson bench/
COPY bin bin
COPY LICENSE README.md ./
# `docker build --build-arg COMMIT=$(git rev-parse --short=12 HEAD)`: for /healthz, /metrics and the log.
ARG COMMIT=unknown
RUN npx vite build dashboard --logLevel warn && node scripts/sdk.mjs && node scripts/bundle.mjs && echo "$COMMIT" > dist/.commit && node scripts/packed-form.mjs /packed
# Of the installed packages only those that the packed form lists.
RUN cp /packed/package.json . && npm prune --omit=dev --ignore-scripts && mv node_modules /packed/

FROM node:24.21.0-trixie-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data DELETIONS_DIR=/deletions
# This image holds no nats-server: set NATS_URL (docker-compose.yml does).
COPY --from=build /packed ./
RUN install -d -o node -g node -m 700 /data /deletions
USER node
# Apart: the journal of deletions must outlive a /data that is restored.
VOLUME /data /deletions
EXPOSE 8080
# The process lives. Whether it can do all of its work is on /readyz, for a balancer: a restart would only take longer.
# Without the role edge nothing listens: then the process itself is all that can be looked at.
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "(process.env.ROLES || 'edge').includes('edge') && fetch('http://127.0.0.1:' + (process.env.ADMIN_PORT || process.env.PORT) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# A SIGTERM drains it within 25 s.
ENTRYPOINT ["node"]
CMD ["--single-threaded-gc", "--heap-growing-percent=300", "--max-semi-space-size=2", "--v8-pool-size=1", "dist/service/main.js"]
