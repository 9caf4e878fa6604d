import type { TaskArgs } from '../api/feature.js';

/** The arguments a kind of task takes, by name, each with what it must be. */
export type Signature = Readonly<
  Record<string, { readonly type: 'text' | 'flag' | 'number' | 'object' | 'list'; readonly required?: true }>
>;

/** Lists, as sentences, what is wrong with the arguments of a task: missing, misspelt or of another type. */
export function argumentProblems(kind: string, args: TaskArgs, signature: Signature): readonly string[] {
  const missing = Object.entries(signature)
    .filter(([name, { required }]) => required && args[name] === undefined)
    .map(([name]) => name);
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  return [
    ...(missing.length > 0 ? [`${kind} needs the arguments ${missing.join(', ')}`] : []),
    ...given.filter(([name]) => !signature[name]).map(([name]) => `${kind} has no argument ${name}`),
    ...given.flatMap(([name, value]) => {
      const type = signature[name]?.type;
      return type === undefined || typeOf(value) === type ? [] : [`${name} of ${kind} must be a ${type}`];
    }),
  ];
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return { string: 'text', boolean: 'flag', object: 'object' }[typeof value as 'string'] ?? typeof value;
}
