/** What every build and every run of a server says differently of itself, and nothing else: fields, and lines of pages. */
const fields = new Set(['buildDate', 'compiler', 'gitCommit', 'gitVersion', 'goVersion', 'uptimeSeconds']);
const lines = /^(Started: +|Up: +|Go version: +|goVersion: |uptimeSeconds: ).+$/gm;

/** The answer with those facts taken out, so that the rest of it can be compared. */
export function withoutOwnFacts(answer: unknown): unknown {
  if (typeof answer === 'string') return answer.replace(lines, '$1(its own)');
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, fields.has(name) ? '(its own)' : value]),
  );
}
