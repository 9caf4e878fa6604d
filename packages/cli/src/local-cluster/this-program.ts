/** Words that Node needs to run this program again; none where program and Node are one file. */
export function thisProgram(): readonly string[] {
  const [node, script = ''] = process.argv;
  return script === node ? [] : [...process.execArgv, script];
}
