// Writes with 64 writers until it is killed. Prints a line for every write that was acknowledged:
// the writer, and how often it wrote. Arguments: the built lmdb-store.js, and the file of the store.
const [module, path] = process.argv.slice(2);
const { lmdbStore } = await import(module);
const store = await lmdbStore({ path });

async function writeForever(name) {
  for (;;) {
    const basis = store.latest('pods', 'n', name);
    const count = Number(basis?.object.count ?? store.latest('counts', 'n', name)?.object.count ?? 0) + 1;
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'n', uid: name } };
    const body = { ...object, count, text: String(count).repeat(400), again: count };
    // Every tenth time the object goes and comes back; a second resource remembers the count.
    if (count % 10 === 0 && basis) {
      await store.put('counts', { ...object, kind: 'Count', count }, store.latest('counts', 'n', name));
      await store.remove(basis);
    } else {
      await store.put('pods', body, basis);
    }
    process.stdout.write(`${name} ${count}\n`);
  }
}

await Promise.all(Array.from({ length: 64 }, (_, i) => writeForever(`w${i}`)));
