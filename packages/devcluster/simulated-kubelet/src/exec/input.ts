import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';

/** How much of what is typed waits to be read, in bytes; a client that sends more is not heard any further. */
const longestInput = 32 * 1024 * 1024;

/** What is typed into a process. */
export interface Input {
  /** The next line without its end; undefined when there is none any more. */
  line(): Promise<string | undefined>;
  /** What came since, as soon as there is any; undefined at the end. */
  next(): Promise<Buffer | undefined>;
  /** Everything until the end. */
  rest(): Promise<Buffer>;
}

/** Starts to listen to a terminal and returns its input. */
export function inputFrom(terminal: Pick<Terminal, 'listen'>): Input {
  let unread: Buffer = Buffer.alloc(0);
  let isEnded = false;
  let wake = () => {};
  const parts: Buffer[] = [];
  let length = 0;
  terminal.listen(
    (bytes) => {
      length += bytes.length;
      if (length <= longestInput) parts.push(bytes);
      wake();
    },
    () => {
      isEnded = true;
      wake();
    },
  );
  const gather = () => {
    if (parts.length === 0) return;
    unread = Buffer.concat([unread, ...parts.splice(0)]);
    length = unread.length;
  };
  const takeAll = () => {
    gather();
    const all = unread;
    unread = Buffer.alloc(0);
    length = 0;
    return all;
  };
  const more = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  return {
    async line() {
      for (;;) {
        gather();
        const end = unread.indexOf('\n');
        if (end < 0 && !isEnded) {
          await more();
          continue;
        }
        if (end < 0 && unread.length === 0) return undefined;
        const line = end < 0 ? unread : unread.subarray(0, end);
        unread = unread.subarray(end < 0 ? unread.length : end + 1);
        return line.toString();
      }
    },
    async next() {
      while (unread.length === 0 && parts.length === 0 && !isEnded) await more();
      const all = takeAll();
      return all.length === 0 ? undefined : all;
    },
    async rest() {
      while (!isEnded) await more();
      return takeAll();
    },
  };
}

/** Returns the content of a file as input, as if it were typed. */
export function inputOf(content: Buffer): Input {
  return inputFrom({
    listen(onBytes, onEnd) {
      onBytes(content);
      onEnd();
    },
  });
}
