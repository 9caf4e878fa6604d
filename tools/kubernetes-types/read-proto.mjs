/** Reads the messages of a `generated.proto`: name -> fields with number, name, type and whether they are repeated. */
export function readProto(text, shortName) {
  const messages = {};
  let fields;
  for (const line of text.split('\n')) {
    const message = /^message (\w+) \{/.exec(line);
    if (message) {
      fields = [];
      messages[message[1]] = fields;
      continue;
    }
    const field = /^ {2}(optional|required|repeated|map<string, ([\w.]+)>) ?([\w.]*) (\w+) = (\d+)/.exec(line);
    if (!field || !fields) continue;
    const [, label, valueType, type, name, number] = field;
    fields.push({
      number: Number(number),
      name,
      type: valueType ? `map<string,${shortName(valueType)}>` : shortName(type),
      ...(label === 'repeated' && { repeated: true }),
    });
  }
  return messages;
}
