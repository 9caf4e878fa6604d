// Runs a cluster until it is killed. Arguments: the built start-cluster.js, and the data directory.
// Prints a line with its address when the API answers, then one for every write acknowledged.
const [module, dataDir] = process.argv.slice(2);
const { startCluster } = await import(module);
const cluster = await startCluster({ dataDir, nodes: 1 });
process.stdout.write(`${cluster.url}\n`);
const transport = cluster.transport();
const path = '/api/v1/namespaces/default/configmaps';

async function writeForever(writer) {
  for (let count = 1; ; count += 1) {
    const name = `w${writer}-${process.pid}-${count}`;
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text: name.repeat(20) } };
    const { status } = await transport.request({ method: 'POST', path, body });
    if (status !== 201) throw new Error(`${name}: ${status}`);
    process.stdout.write(`${name}\n`);
  }
}

await Promise.all(Array.from({ length: 64 }, (_, writer) => writeForever(writer)));
