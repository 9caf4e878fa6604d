/** What a template of the chart may refer to. */
export interface RenderContext {
  readonly Values: unknown;
  readonly Release: { readonly Namespace: string };
  /** Kinds that the API server has, as `group/version/kind`. None when absent. */
  readonly served?: readonly string[];
}

/**
 * Renders a template of the chart as Helm does, of which it knows only what the chart uses, so that the chart is tested where
 * there is no Helm.
 * @throws Error for an action that it does not know, and for a required value that is empty
 */
export function renderTemplate(template: string, context: RenderContext): string {
  const lines: string[] = [];
  /** Whether the text of each block that is open is printed. */
  const open: boolean[] = [];
  for (const line of template.split('\n')) {
    const [, block, condition = ''] = /^\{\{- (if|else|end)(?: (\.[\w.]+(?: "[^"]+")?))? \}\}$/.exec(line) ?? [];
    if (block === 'if') open.push(holds(condition, context));
    else if (block === 'else') open.push(!open.pop());
    else if (block === 'end') open.pop();
    else if (open.every(Boolean))
      lines.push(line.replace(/\{\{ (.*?) \}\}/g, (_, action: string) => evaluate(action, context)));
  }
  if (open.length > 0) throw new Error('a block of the template is not closed');
  return lines.join('\n');
}

function holds(condition: string, context: RenderContext): boolean {
  const [, kind] = /^\.Capabilities\.APIVersions\.Has "(.*)"$/.exec(condition) ?? [];
  return kind === undefined ? Boolean(lookUp(condition, context)) : (context.served ?? []).includes(kind);
}

function evaluate(action: string, context: RenderContext): string {
  const [, text] = /^"(\{\{)"$/.exec(action) ?? [];
  if (text !== undefined) return text;
  const [, message, path, filter] = /^(?:required "([^"]*)" )?(\.[\w.]+)(?: \| (quote|toJson))?$/.exec(action) ?? [];
  if (path === undefined) throw new Error(`the action {{ ${action} }} is not known`);
  const value = lookUp(path, context);
  if (value === undefined || (message !== undefined && value === ''))
    throw new Error(message ?? `${path} has no value`);
  return filter === undefined ? String(value) : JSON.stringify(value);
}

function lookUp(path: string, context: RenderContext): unknown {
  return path
    .slice(1)
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], context);
}
