// @ts-check
/**
 * A program: reads every value of the store named by its argument. Exits with 1 when some are missing; a damaged file
 * may crash it, which is why `lmdb-file.ts` runs it in a process of its own.
 */
import { open } from 'lmdb';

const path = process.argv[2] ?? '';
const root = open({ path, noSubdir: true, readOnly: true, maxDbs: 4, encoding: 'json' });
for (const name of ['records', 'meta']) {
  const database = root.openDB(name, { encoding: 'binary' });
  let count = 0;
  for (const { value } of database.getRange()) count += value.length > 0 ? 1 : 0;
  const { entryCount } = /** @type {{ entryCount: number }} */ (database.getStats());
  if (count !== entryCount) process.exit(1);
}
