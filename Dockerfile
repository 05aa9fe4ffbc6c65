# The four programs, for a match without isolation: docker run IMAGE arbiter match --players 3 --games 3 --nodes 1000
# A board in the browser: docker run -p 8000:8000 IMAGE table --listen 0.0.0.0:8000
FROM rust:1-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN .ci/archive
RUN mkdir /programs && for archive in target/archives/*; do tar -xzf "$archive" -C /programs; done

FROM debian:bookworm-slim
COPY --from=build /programs/LICENSE* /usr/share/doc/buxtehude/
COPY --from=build /programs/buxtehude /programs/arbiter /programs/table /programs/fleet /usr/local/bin/
# Engines must not run as root.
RUN useradd --create-home player
USER player
WORKDIR /home/player
CMD ["arbiter", "--help"]
