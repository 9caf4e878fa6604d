/** Calls `receive` with each line of a body, and resolves at its end. @param alive called when something came */
export async function readLines(
  body: ReadableStream<Uint8Array>,
  receive: (line: string) => void,
  alive: () => void = () => {},
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      if (rest !== '') receive(rest);
      return;
    }
    alive();
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) receive(line);
  }
}
