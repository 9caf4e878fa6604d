// @ts-check
/**
 * Why specs of the suite are not run, or not each time.
 * @typedef {{ reason: string, kind: 'cannot pass' | 'takes minutes', specs: string[] }} Exceptions
 * @typedef {import('./run-specs.mjs').SpecResult} SpecResult
 */

/**
 * Reads the list: a heading such as `## cannot pass: REASON` or `## takes minutes: REASON`, and below it the names of
 * specs, one on each line.
 * @param {string} text
 * @returns {Exceptions[]}
 */
export function readExceptions(text) {
  /** @type {Exceptions[]} */
  const all = [];
  const seen = new Set();
  for (const [index, line] of text.split('\n').entries()) {
    const [, kind, reason] = /^## (cannot pass|takes minutes): (.+)$/.exec(line) ?? [];
    if (reason !== undefined) {
      all.push({ kind: kind === 'cannot pass' ? kind : 'takes minutes', reason, specs: [] });
    } else if (line.trim() !== '' && !line.startsWith('# ')) {
      const last = all.at(-1);
      if (!last) throw new Error(`line ${index + 1} is not below a heading "## cannot pass: REASON"`);
      if (seen.has(line)) throw new Error(`line ${index + 1} is listed before: ${line}`);
      seen.add(line);
      last.specs.push(line);
    }
  }
  return all;
}

/**
 * Chooses what is run of all specs. Serial ones change what others rely on, so that they run alone.
 * @param {readonly string[]} names
 * @param {readonly Exceptions[]} exceptions
 * @param {{ all: boolean, quick: boolean }} how `all` runs exceptions too, and `quick` not those that take minutes
 */
export function chooseSpecs(names, exceptions, { all, quick }) {
  const left = new Set(
    exceptions.filter(({ kind }) => !all && (kind === 'cannot pass' || quick)).flatMap(({ specs }) => specs),
  );
  const chosen = names.filter((name) => !left.has(name));
  const isAlone = (/** @type {string} */ name) => /\[(Serial|Disruptive)\]/.test(name);
  return { together: chosen.filter((name) => !isAlone(name)), alone: chosen.filter(isAlone) };
}

/**
 * Compares results with the list: what fails and is not on it, what is on it and passes, and what is on it and is not
 * a spec.
 * @param {readonly string[]} names
 * @param {readonly SpecResult[]} results
 * @param {readonly Exceptions[]} exceptions
 */
export function compareWithList(names, results, exceptions) {
  const listed = new Set(exceptions.filter(({ kind }) => kind === 'cannot pass').flatMap(({ specs }) => specs));
  const known = new Set(names);
  return {
    passed: results.filter(({ state }) => state === 'passed').length,
    skipped: results.filter(({ state }) => state === 'skipped').length,
    unexpected: results.filter(({ name, state }) => (state === 'failed' || state === 'lost') && !listed.has(name)),
    better: results.filter(({ name, state }) => state === 'passed' && listed.has(name)).map(({ name }) => name),
    unknown: exceptions.flatMap(({ specs }) => specs).filter((name) => !known.has(name)),
  };
}
