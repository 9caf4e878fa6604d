import { join } from 'node:path';
import type { DocumentKind } from '../kinds/document-kind.js';
import { matchPath, matchSegment } from '../kinds/file-pattern.js';
import type { FoundKep, ListFolder } from './find-keps.js';

/** All documents of a kind below a root, sorted by path. Links are never followed; a folder that cannot be listed is among them as `unreadable`. */
export function findDocuments(kind: DocumentKind, root: string, list: ListFolder): FoundKep[] {
  const found: FoundKep[] = [];
  const segments = kind.files.segments;
  const walk = (folder: string, at: number) => {
    const segment = segments[at] ?? '';
    const path = folder === '' ? root : join(root, folder);
    const isLast = at === segments.length - 1;
    if (!isLast && !segment.includes('{')) return walk(below(folder, segment), at + 1);
    const entries = list(path);
    if (typeof entries === 'string') {
      // A folder that is not there has no documents, which is for whoever named none to say.
      if (entries !== 'ENOENT' && entries !== 'ENOTDIR')
        found.push({
          path,
          directory: folder || '.',
          group: undefined,
          number: undefined,
          unreadable: entries,
          kind: kind.name,
        });
      return;
    }
    for (const entry of entries) {
      if (entry.name.startsWith('.') || !matchSegment(segment, entry.name)) continue;
      if (!isLast && entry.isDirectory()) walk(below(folder, entry.name), at + 1);
      if (!isLast || !entry.isFile()) continue;
      const document = documentAt(kind, root, below(folder, entry.name));
      if (document) found.push(document);
    }
  };
  walk('', 0);
  return found.sort((one, other) => (one.directory < other.directory ? -1 : 1));
}

/** A path, relative to the root with `/`, as a document of a kind; undefined when the kind has none there. */
export function documentAt(kind: DocumentKind, root: string, path: string): FoundKep | undefined {
  const parts = matchPath(kind.files, path);
  if (!parts || path === kind.template) return undefined;
  const file = join(root, path);
  return { path: join(file, '..'), file, directory: path, group: parts.group, number: parts.number, kind: kind.name };
}

function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
