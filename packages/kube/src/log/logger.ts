import { printableLine } from '@slipway/safe-yaml/printable';

/** Facts beside a message: which object, how long, which error. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where controllers say what they do. Any structured logger fits behind it. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

const nothing = () => {};

/** Says nothing. */
export const silentLog: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Writes warnings and errors to stderr, one line each; the default where no logger is handed in. */
export const stderrLog: Logger = {
  debug: nothing,
  info: nothing,
  warn: (message, fields) => process.stderr.write(line('warning', message, fields)),
  error: (message, fields) => process.stderr.write(line('error', message, fields)),
};

/** A logger that adds `fields` to everything it says. */
export function withFields(log: Logger, fields: LogFields): Logger {
  return {
    debug: (message, more) => log.debug(message, { ...fields, ...more }),
    info: (message, more) => log.info(message, { ...fields, ...more }),
    warn: (message, more) => log.warn(message, { ...fields, ...more }),
    error: (message, more) => log.error(message, { ...fields, ...more }),
  };
}

function line(level: string, message: string, fields: LogFields = {}): string {
  const facts = Object.entries(fields).map(([name, value]) => ` ${name}=${text(value)}`);
  return `${printableLine(`${level}: ${message}${facts.join('')}`)}\n`;
}

function text(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.message);
  return typeof value === 'string' && /^[\w./:-]+$/.test(value) ? value : (JSON.stringify(value) ?? 'undefined');
}
