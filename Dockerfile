# The image of `npm run release`, for those who build with Docker: the same root file system, from the same code.
FROM node:24.21.0-bookworm AS build
WORKDIR /src
COPY . .
RUN npm ci && npm run release -- --root-folder /root-folder

FROM scratch
COPY --from=build /root-folder/ /
ENV PATH=/usr/bin
ENV HOME=/home/slipway
USER 65532:65532
ENTRYPOINT ["/usr/bin/slipway"]
CMD ["--help"]
