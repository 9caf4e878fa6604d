/** What an operation does at a path, of which a move and a copy have two. */
export type Access = 'add' | 'remove' | 'replace' | 'test' | 'move from' | 'move to' | 'copy from' | 'copy to';

/** Says, in the words of Kubernetes, that a document has no list or object in which the path of an operation ends. */
export function missingContainer(access: Access, path: string): string {
  const [operation, end] = access.split(' ');
  const what =
    access === 'test'
      ? `is missing path: ${path}`
      : end === 'from'
        ? `doc is missing from path: ${path}`
        : end === 'to'
          ? `doc is missing destination path: ${path}`
          : `doc is missing path: ${access === 'replace' ? path : JSON.stringify(path)}`;
  return `${operation} operation does not apply: ${what}: missing value`;
}

/** The same of a list or object that has nothing at the last key of the path, or cannot have it. */
export function missingMember(access: Access, path: string, key: string, isList: boolean): string {
  const why = isList ? badIndex(access, key) : `Unable to remove nonexistent key: ${key}: missing value`;
  switch (access) {
    case 'replace':
      return `replace operation does not apply: doc is missing key: ${path}: missing value`;
    case 'move from':
      return `error in move for path: '${key}': ${why}`;
    case 'move to':
      return `error in move for path: '${path}': ${why}`;
    case 'copy from':
      return `error in copy for from: '${path}': ${why}`;
    case 'copy to':
      return `error while adding value during copy: ${why}`;
    default:
      return `error in ${access} for path: '${path}': ${why}`;
  }
}

function badIndex(access: Access, key: string): string {
  if (/^[+-]?\d+$/.test(key)) return `Unable to access invalid index: ${Number(key)}: invalid index referenced`;
  const syntax = `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;
  const isInsertion = access === 'add' || access.endsWith(' to');
  return isInsertion ? `value was not a proper array index: '${key}': ${syntax}` : syntax;
}
