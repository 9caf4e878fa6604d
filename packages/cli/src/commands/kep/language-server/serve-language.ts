import {
  codeActionsAt,
  codeLenses,
  completionsInApproval,
  completionsInReadme,
  completionsInYaml,
  diagnosticsOf,
  documentSymbols,
  fixKep,
  foldingRanges,
  gateAt,
  hoverInReadme,
  hoverInYaml,
  type KepRepository,
  type DocumentSymbol as OutlineEntry,
  renameGate,
} from '@slipway/kep';
import {
  type CodeAction,
  CodeActionKind,
  type Connection,
  createConnection,
  type DocumentSymbol,
  type InitializeResult,
  MarkupKind,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
  SymbolKind,
  TextDocumentSyncKind,
  TextDocuments,
  type TextEdit,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { type FrameError, frameGuard } from './frame-guard.js';
import { type EditedKep, type OpenFile, OpenProposals } from './open-proposals.js';

/** What a language server needs of the process it runs in. */
export interface LanguageServerOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Opens the checkout that a folder belongs to. */
  readonly repositoryFor: (folder: string) => KepRepository;
}

const capabilities: InitializeResult['capabilities'] = {
  textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.SourceFixAll] },
  hoverProvider: true,
  documentSymbolProvider: true,
  foldingRangeProvider: true,
  completionProvider: { triggerCharacters: ['#', ':', ' ', '-', '@'] },
  codeLensProvider: {},
  renameProvider: { prepareProvider: true },
};

/**
 * Serves the Language Server Protocol over two streams. Resolves when the input ends, with whether the
 * editor said good-bye before. Rejects with a FrameError at what is not the protocol. Findings are published after each change; changes that come while the
 * rules run are taken together.
 */
export function serveLanguage({ input, output, repositoryFor }: LanguageServerOptions): Promise<boolean> {
  let fail = (_error: FrameError) => {};
  const guard = frameGuard((error) => fail(error));
  const connection = createConnection(
    ProposedFeatures.all,
    new StreamMessageReader(guard),
    new StreamMessageWriter(output),
  );
  const documents = new TextDocuments(TextDocument);
  const proposals = new OpenProposals(repositoryFor, (uri) => documents.get(uri)?.getText());
  let saidGoodbye = false;
  connection.onInitialize(() => ({ capabilities, serverInfo: { name: 'slipway kep lsp' } }));
  connection.onShutdown(() => {
    saidGoodbye = true;
  });
  publishFindings(connection, documents, proposals);
  answerRequests(connection, proposals);
  documents.listen(connection);
  connection.listen();
  return new Promise((resolve, reject) => {
    input.once('end', () => resolve(saidGoodbye));
    input.once('close', () => resolve(saidGoodbye));
    fail = (error) => {
      input.unpipe(guard);
      input.pause();
      reject(error);
    };
    // Left open, or what is answered last would find the connection closed.
    input.pipe(guard, { end: false });
  });
}

function publishFindings(
  connection: Connection,
  documents: TextDocuments<TextDocument>,
  proposals: OpenProposals,
): void {
  const waiting = new Map<string, OpenFile>();
  const publish = () => {
    const files = [...waiting.values()];
    waiting.clear();
    for (const file of files) publishProposal(connection, documents, proposals, file);
  };
  const later = (file: OpenFile) => {
    if (waiting.size === 0) setImmediate(publish);
    waiting.set(file.found.file ?? file.found.path, file);
  };
  documents.onDidChangeContent(({ document }) => {
    const file = fileOrComplaint(connection, proposals, document.uri);
    if (!file) return;
    proposals.changed(file);
    later(file);
  });
  documents.onDidSave(() => {
    proposals.forget();
    for (const { uri } of documents.all()) {
      const file = fileOrComplaint(connection, proposals, uri);
      if (file) later(file);
    }
  });
  documents.onDidClose(({ document: { uri } }) => {
    const file = fileOrComplaint(connection, proposals, uri);
    if (file) proposals.changed(file);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
}

/** The findings of all files of a proposal that are open. */
function publishProposal(
  connection: Connection,
  documents: TextDocuments<TextDocument>,
  proposals: OpenProposals,
  file: OpenFile,
): void {
  const { kep, uriOf } = proposals.kepOf(file);
  for (const role of ['readme', 'yaml', 'approval'] as const) {
    const uri = uriOf(role);
    const document = uri === undefined ? undefined : documents.get(uri);
    if (!document) continue;
    const { version } = document;
    void connection.sendDiagnostics({ uri: document.uri, version, diagnostics: [...diagnosticsOf(kep, role)] });
  }
}

/** A file of a proposal. A checkout that cannot be opened, for its configuration say, is told to the person. */
function fileOrComplaint(connection: Connection, proposals: OpenProposals, uri: string): OpenFile | undefined {
  try {
    return proposals.fileAt(uri);
  } catch (error) {
    connection.window.showErrorMessage(`slipway kep: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function answerRequests(connection: Connection, proposals: OpenProposals): void {
  /** Answers for a file of ours; for other files there is nothing to tell. */
  const about = <T>(uri: string, nothing: T, answer: (file: OpenFile, edited: EditedKep) => T): T => {
    const file = proposals.fileAt(uri);
    return file ? answer(file, proposals.kepOf(file)) : nothing;
  };
  connection.onHover(({ textDocument, position }) =>
    about(textDocument.uri, null, ({ role }, { kep }) => {
      const found = role === 'yaml' ? hoverInYaml(kep, position) : hoverInReadme(kep, position);
      return found ? { contents: { kind: MarkupKind.Markdown, value: found.markdown }, range: found.range } : null;
    }),
  );
  connection.onDocumentSymbol(({ textDocument }) =>
    about(textDocument.uri, [], ({ role }, { kep: { facts } }) =>
      role === 'readme' && facts.document ? documentSymbols(facts.document).map(symbolOf) : [],
    ),
  );
  connection.onFoldingRanges(({ textDocument }) =>
    about(textDocument.uri, [], ({ role }, { kep: { facts } }) =>
      role === 'readme' && facts.document ? foldingRanges(facts.document) : [],
    ),
  );
  connection.onCompletion(({ textDocument, position }) =>
    about(textDocument.uri, [], ({ role }, { kep }) => {
      const items = { readme: completionsInReadme, yaml: completionsInYaml, approval: completionsInApproval };
      return items[role](kep, position).map(({ label, detail, edit }) => ({
        label,
        detail,
        filterText: edit.newText,
        textEdit: edit,
      }));
    }),
  );
  connection.onCodeLens(({ textDocument }) =>
    about(textDocument.uri, [], ({ role }, { kep }) =>
      role === 'readme' ? codeLenses(kep).map(({ range, title }) => ({ range, command: { title, command: '' } })) : [],
    ),
  );
  connection.onCodeAction(({ textDocument, range, context }) =>
    about(textDocument.uri, [], (file, edited) => {
      const wants = (kind: string) => !context.only || context.only.some((only) => kind.startsWith(only));
      return [
        ...(wants(CodeActionKind.QuickFix) ? quickFixes(file, edited, range) : []),
        ...(wants(CodeActionKind.SourceFixAll) ? fixAll(edited) : []),
      ];
    }),
  );
  connection.onPrepareRename(({ textDocument, position }) =>
    about(textDocument.uri, null, ({ role }, { kep }) => {
      const gate = gateAt(kep, role, position);
      return gate ? { range: gate.range, placeholder: gate.name } : null;
    }),
  );
  connection.onRenameRequest(({ textDocument, position, newName }) =>
    about(textDocument.uri, null, ({ role }, { kep, uriOf }) => {
      const gate = gateAt(kep, role, position);
      const edits = gate && renameGate(kep, gate.name, newName);
      if (!edits) return null;
      return { changes: Object.fromEntries([...edits].map(([file, list]) => [uriOf(file) ?? '', [...list]])) };
    }),
  );
}

function symbolOf({ name, range, selectionRange, children }: OutlineEntry): DocumentSymbol {
  return { name, kind: SymbolKind.String, range, selectionRange, children: children.map(symbolOf) };
}

function quickFixes(
  file: OpenFile,
  { kep, uriOf }: EditedKep,
  range: Parameters<typeof codeActionsAt>[2],
): CodeAction[] {
  return codeActionsAt(kep, file.role, range).flatMap(({ title, isPreferred, diagnostic, file: target, edits }) => {
    const uri = uriOf(target);
    if (uri === undefined) return [];
    const edit = { changes: { [uri]: [...edits] } };
    return [{ title, kind: CodeActionKind.QuickFix, isPreferred, diagnostics: [diagnostic], edit }];
  });
}

/** All safe fixes of a proposal at once. */
function fixAll({ repository, loaded, uriOf }: EditedKep): CodeAction[] {
  const { texts } = fixKep(repository, loaded, { unsafe: false });
  const changes: Record<string, TextEdit[]> = {};
  for (const [role, newText] of texts) {
    const uri = uriOf(role);
    const whole = { start: { line: 0, character: 0 }, end: { line: 2_147_483_647, character: 0 } };
    if (uri !== undefined) changes[uri] = [{ range: whole, newText }];
  }
  if (Object.keys(changes).length === 0) return [];
  return [{ title: 'Correct all that can be corrected safely', kind: CodeActionKind.SourceFixAll, edit: { changes } }];
}
