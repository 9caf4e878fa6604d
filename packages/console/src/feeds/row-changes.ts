import type { FeedMessage } from './feed.js';

/** Compares rows with those of the call before: the message that is to be sent, or nothing when all are the same. */
export function rowChanges<Row extends { readonly key: string }>(): (
  rows: readonly Row[],
) => FeedMessage<Row> | undefined {
  const known = new Map<string, string>();
  let isWhole = true;
  return (rows) => {
    const set = rows.filter((row) => {
      const text = JSON.stringify(row);
      const isNew = known.get(row.key) !== text;
      known.set(row.key, text);
      return isNew;
    });
    const present = new Set(rows.map(({ key }) => key));
    const gone = [...known.keys()].filter((key) => !present.has(key));
    for (const key of gone) known.delete(key);
    if (!isWhole && set.length === 0 && gone.length === 0) return undefined;
    const message = { type: 'rows' as const, set, gone, isWhole };
    isWhole = false;
    return message;
  };
}
