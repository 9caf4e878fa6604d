/** Calls `receive` with each line of a body, and resolves at its end. @param alive called when something came */
export async function readLines(
  body: ReadableStream<Uint8Array>,
  receive: (line: string) => void,
  alive: () => void = () => {},
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // Parts of a line of megabytes are searched for its end once each.
  let parts: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      const rest = parts.join('');
      if (rest !== '') receive(rest);
      return;
    }
    alive();
    const [first = '', ...lines] = decoder.decode(value, { stream: true }).split('\n');
    parts.push(first);
    for (const line of lines) {
      receive(parts.join(''));
      parts = [line];
    }
  }
}
