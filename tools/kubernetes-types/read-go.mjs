/**
 * Reads what Go files declare of API types: structs with their fields, the values of enumerations, and other types by the type that they
 * stand for. The files are as gofmt leaves them. `comments` are the lines right above.
 */
export function readGo(text) {
  const imports = Object.fromEntries(
    [...text.matchAll(/^(?:import)?\s+(\w+) "([\w./-]+)"$/gm)].map(([, name, path]) => [name, path]),
  );
  const structs = {};
  const types = {};
  const values = [];
  let comments = [];
  let block;
  let struct;
  for (const line of text.split('\n')) {
    const comment = /^\s*\/\/ ?(.*)$/.exec(line);
    if (comment) {
      comments.push(comment[1]);
      continue;
    }
    const start = /^type (\w+) struct \{/.exec(line);
    const alias = /^type (\w+) ([\w.[\]*]+)/.exec(line) ?? (block === 'type' && /^\t(\w+) ([\w.[\]*]+)$/.exec(line));
    const constant = /^(?:const |\t)(\w+)\s+(?:\w+\.)?(\w+)\s+= "([^"]*)"/.exec(line);
    const converted = /^(?:const |\t)(\w+)\s+= (\w+)\((?:"(\w*)"|v1\.(IPv[46])Protocol)\)/.exec(line);
    const blockStart = /^(const|type|var) \($/.exec(line);
    if (start) {
      struct = { comments, fields: [] };
      structs[start[1]] = struct;
    } else if (struct && line !== '}') {
      const field = fieldOf(line, comments);
      if (field) struct.fields.push(field);
    } else if (alias) types[alias[1]] = { comments, of: alias[2] };
    else if (constant) values.push({ name: constant[1], type: constant[2], value: constant[3] });
    else if (converted) values.push({ name: converted[1], type: converted[2], value: converted[3] ?? converted[4] });
    if (blockStart) block = blockStart[1];
    if (/^[})]/.test(line)) [struct, block] = [undefined, undefined];
    comments = [];
  }
  return { imports, structs, types, values };
}

/** A field of a struct; undefined for a line that declares none. */
function fieldOf(line, comments) {
  const found = /^\t(?:(\w+)\s+)?([\w.[\]*]+)(?:\s+`(.*)`)?(?:\s*\/\/.*)?$/.exec(line);
  if (!found) return undefined;
  const [, name, type, tags = ''] = found;
  const tag = (key) => new RegExp(`(?:^| )${key}:"([^"]*)"`).exec(tags)?.[1];
  return { name, type, comments, tag };
}

/** The value of a marker such as `+listType=map`, '' for one without value; undefined when it is not there. */
export function marker(comments, name) {
  return markers(comments, name)[0];
}

/** All values of a marker that may be repeated. */
export function markers(comments, name) {
  const found = comments.map((line) => new RegExp(`^\\s*\\+${name}(?:=(.*))?$`).exec(line.trimEnd()));
  return found.filter(Boolean).map((match) => match[1] ?? '');
}
