import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import {
  type CodeAction,
  createProtocolConnection,
  type Diagnostic,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { checkoutAt } from '../../packages/cli/src/testing/a-checkout.js';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { slipwayProgram } from '../support/slipway.js';

const fixtures = fileURLToPath(new URL('../../packages/kep/testdata/rules/base/', import.meta.url));

/** A checkout with one good proposal. */
function checkout(): { readonly root: string; readonly readme: string; readonly yaml: string } {
  const root = testFolder();
  const at = checkoutAt(root);
  return { root, readme: join(at, 'README.md'), yaml: join(at, 'kep.yaml') };
}

/** An editor with files open, as far as a language server can tell. */
class Editor {
  readonly #child = spawn(process.execPath, [slipwayProgram, 'kep', 'lsp', '--stdio']);
  readonly #connection = createProtocolConnection(
    new StreamMessageReader(this.#child.stdout),
    new StreamMessageWriter(this.#child.stdin),
  );
  readonly #files = new Map<string, TextDocument>();
  readonly #published = new Map<string, PublishDiagnosticsParams>();
  readonly #waiting = new Set<() => void>();
  readonly #ended = new Promise<number | null>((resolve) => this.#child.once('exit', resolve));

  async start(root: string): Promise<Record<string, unknown>> {
    this.#connection.onNotification('textDocument/publishDiagnostics', (found: PublishDiagnosticsParams) => {
      this.#published.set(found.uri, found);
      for (const look of this.#waiting) look();
    });
    this.#connection.listen();
    const answer = await this.request('initialize', {
      processId: null,
      rootUri: pathToFileURL(root).href,
      capabilities: {},
    });
    await this.#connection.sendNotification('initialized', {});
    return (answer as { capabilities: Record<string, unknown> }).capabilities;
  }

  request(method: string, params: unknown): Promise<unknown> {
    return this.#connection.sendRequest(method, params);
  }

  async open(path: string): Promise<string> {
    const uri = pathToFileURL(path).href;
    const text = readFileSync(path, 'utf8');
    const languageId = path.endsWith('.md') ? 'markdown' : 'yaml';
    this.#files.set(uri, TextDocument.create(uri, languageId, 1, text));
    await this.#connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId, version: 1, text },
    });
    return uri;
  }

  text(uri: string): string {
    return this.#file(uri).getText();
  }

  /** Replaces a stretch that is there once, letter by letter, as a person types. */
  async type(uri: string, instead: string, text: string): Promise<void> {
    const start = this.text(uri).indexOf(instead);
    expect(start).toBeGreaterThanOrEqual(0);
    await this.#change(uri, start, start + instead.length, '');
    let at = start;
    for (const letter of text) {
      await this.#change(uri, at, at, letter);
      at += letter.length;
    }
  }

  async apply({ changes = {} }: WorkspaceEdit): Promise<void> {
    for (const [uri, edits] of Object.entries(changes)) await this.#edit(uri, edits);
  }

  /** The findings for the files as they are now: waits until the server has seen all that was typed. */
  async findings(uri: string): Promise<readonly Diagnostic[]> {
    for (;;) {
      const isCurrent = (file: TextDocument) => this.#published.get(file.uri)?.version === file.version;
      if ([...this.#files.values()].every(isCurrent)) return this.#published.get(uri)?.diagnostics ?? [];
      await new Promise<void>((resolve) => {
        const look = () => {
          this.#waiting.delete(look);
          resolve();
        };
        this.#waiting.add(look);
      });
    }
  }

  async codes(uri: string): Promise<readonly unknown[]> {
    return (await this.findings(uri)).filter(({ severity }) => severity !== 3).map(({ code }) => code);
  }

  async actions(uri: string, { range }: Pick<Diagnostic, 'range'>, only?: string): Promise<readonly CodeAction[]> {
    const context = { diagnostics: [], ...(only === undefined ? {} : { only: [only] }) };
    const found = await this.request('textDocument/codeAction', { textDocument: { uri }, range, context });
    return found as CodeAction[];
  }

  async quit(): Promise<number | null> {
    await this.request('shutdown', null);
    await this.#connection.sendNotification('exit');
    return await this.#ended;
  }

  /** Goes away in the middle of things. */
  async hangUp(): Promise<number | null> {
    this.#child.stdin.end();
    return await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.dispose();
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL');
    await this.#ended;
  }

  #file(uri: string): TextDocument {
    const file = this.#files.get(uri);
    if (!file) throw new Error(`${uri} is not open`);
    return file;
  }

  async #edit(uri: string, edits: readonly TextEdit[]): Promise<void> {
    const file = this.#file(uri);
    const spans = edits
      .map(({ range, newText }) => ({ start: file.offsetAt(range.start), end: file.offsetAt(range.end), newText }))
      .sort((one, other) => other.start - one.start);
    for (const { start, end, newText } of spans) await this.#change(uri, start, end, newText);
  }

  async #change(uri: string, start: number, end: number, text: string): Promise<void> {
    const file = this.#file(uri);
    const range = { start: file.positionAt(start), end: file.positionAt(end) };
    const version = file.version + 1;
    this.#files.set(uri, TextDocument.update(file, [{ range, text }], version));
    await this.#connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [{ range, text }],
    });
  }
}

test('seven edits typed into an editor: findings come and go, and fixes are offered', async () => {
  const { root, readme, yaml } = checkout();
  await using editor = new Editor();
  expect(await editor.start(root)).toMatchObject({
    textDocumentSync: { change: 2 },
    renameProvider: expect.anything(),
  });
  const text = await editor.open(readme);
  const metadata = await editor.open(yaml);
  expect([await editor.codes(text), await editor.codes(metadata)]).toEqual([[], []]);

  // 1. A slip of the fingers in the status, and its fix.
  await editor.type(metadata, 'status: implementable', 'status: implementbale');
  const [slip] = await editor.findings(metadata);
  expect(slip).toMatchObject({ code: 'KEP504', severity: 1, message: expect.stringContaining('implementable') });
  if (!slip) throw new Error('no finding');
  const fix = (await editor.actions(metadata, slip, 'quickfix')).find(({ isPreferred }) => isPreferred);
  await editor.apply(fix?.edit ?? {});
  expect(editor.text(metadata)).toContain('\nstatus: implementable\n');
  expect(await editor.codes(metadata)).toEqual([]);

  // 2. An answer is taken away.
  await editor.type(text, 'A bell that is too loud wakes the neighbours, so there is a limit.', '');
  expect(await editor.codes(text)).toEqual(['KEP201']);

  // 3. Another one is written, with letters beyond 16 bits before what is typed next.
  await editor.type(text, '### Risks and Mitigations\n\n', '### Risks and Mitigations\n\n🔔 wakes the neighbours.');
  expect(await editor.codes(text)).toEqual([]);

  // 4. A heading appears, and the table of contents is behind until all safe fixes are done.
  await editor.type(text, '## Questionnaire\n', '## Nightly bells\n\nThey rest.\n\n## Questionnaire\n');
  const stale = (await editor.findings(text)).find(({ code }) => code === 'KEP402');
  if (!stale) throw new Error('the table of contents is not stale');
  const [all] = await editor.actions(text, stale, 'source.fixAll');
  await editor.apply(all?.edit ?? {});
  expect(editor.text(text)).toContain('- [Nightly bells](#nightly-bells)\n');
  expect(await editor.codes(text)).toEqual([]);

  // 5. The gate gets another name in one file only; then everywhere.
  await editor.type(metadata, 'name: LouderBells', 'name: LoudBells');
  expect(await editor.codes(text)).toContain('KEP701');
  await editor.type(metadata, 'name: LoudBells', 'name: LouderBells');
  const at = TextDocument.create('', '', 0, editor.text(metadata)).positionAt(
    editor.text(metadata).indexOf('LouderBells'),
  );
  const params = { textDocument: { uri: metadata }, position: at, newName: 'SoftBells' };
  await editor.apply((await editor.request('textDocument/rename', params)) as WorkspaceEdit);
  expect(editor.text(text)).toContain('Feature gate name: SoftBells');
  expect([await editor.codes(text), await editor.codes(metadata)]).toEqual([[], []]);

  // 6. A comment that never ends, and its end.
  await editor.type(text, 'Every bell has a volume.', '<!-- Every bell has a volume.');
  expect(await editor.codes(text)).toContain('KEP008');
  await editor.type(text, '<!-- Every bell has a volume.', 'Every bell has a volume.');
  expect(await editor.codes(text)).toEqual([]);

  // 7. The stage moves on, and with it what is asked for.
  await editor.type(metadata, 'stage: beta', 'stage: stable');
  expect(await editor.codes(metadata)).toContain('KEP606');
  expect((await editor.findings(text)).map(({ code }) => code)).not.toContain('KEP008');

  expect(await editor.quit()).toBe(0);
  expect(readFileSync(readme, 'utf8')).toBe(readFileSync(join(fixtures, 'README.md'), 'utf8'));
});

test('an editor asks for help: hover, outline, folding, completion and what is open', async () => {
  const { root, readme, yaml } = checkout();
  await using editor = new Editor();
  await editor.start(root);
  const text = await editor.open(readme);
  const metadata = await editor.open(yaml);
  const line = editor.text(text).split('\n').indexOf('### Risks and Mitigations');
  const textDocument = { uri: text };
  expect(await editor.request('textDocument/hover', { textDocument, position: { line, character: 5 } })).toMatchObject({
    contents: { kind: 'markdown', value: expect.stringContaining('from **alpha** on') },
  });
  expect(await editor.request('textDocument/documentSymbol', { textDocument })).toMatchObject([
    { name: 'KEP-42: Louder bells' },
  ]);
  expect(await editor.request('textDocument/codeLens', { textDocument })).toContainEqual(
    expect.objectContaining({ command: { title: 'all answered for beta', command: '' } }),
  );
  expect(await editor.request('textDocument/foldingRange', { textDocument })).toContainEqual(
    expect.objectContaining({ startLine: line, kind: 'region' }),
  );
  const stage = editor.text(metadata).split('\n').indexOf('stage: beta');
  const values = await editor.request('textDocument/completion', {
    textDocument: { uri: metadata },
    position: { line: stage, character: 'stage: '.length },
  });
  expect((values as { label: string }[]).map(({ label }) => label)).toContain('deprecated');
  expect(await editor.quit()).toBe(0);
});

test('files that are not proposals get no findings, and an editor that closes without a shutdown request ends the server with 1', async () => {
  const { root } = checkout();
  const note = join(root, 'note.txt');
  writeFileSync(note, 'x');
  await using editor = new Editor();
  await editor.start(root);
  const uri = await editor.open(note);
  expect(
    await editor.request('textDocument/hover', { textDocument: { uri }, position: { line: 0, character: 0 } }),
  ).toBeNull();
  expect(await editor.hangUp()).toBe(1);
});
