import { type Command, InvalidArgumentError } from 'commander';

/** Where to listen; port 0 takes a free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Adds `--listen`. */
export function withListen(command: Command): Command {
  return command.option(
    '--listen <address>',
    'serve /healthz, /readyz and /metrics at this address and port, such as 0.0.0.0:8080',
    listenAddress,
  );
}

function listenAddress(text: string): ListenAddress {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535) {
    throw new InvalidArgumentError(`"${text}" is not an address and a port (try 127.0.0.1:8080)`);
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
