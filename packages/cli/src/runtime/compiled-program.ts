import { readFileSync } from 'node:fs';
import { constants, Script } from 'node:vm';

/** A program that was run, and the script that can tell which code V8 has for it by now. */
export interface CompiledProgram {
  readonly script: Script;
  readonly exports: unknown;
}

/** Bytes before the code in the file that holds it: the first of the program, which begins with a digest of itself. */
export const compiledHeaderBytes = 32;

/** The file that holds the code this engine made of a program. */
export function compiledCodePath(path: string): string {
  return `${path}-${process.version}-${process.arch}.code`;
}

/**
 * Runs a program with the code that V8 made of it in an earlier process, which saves compiling it. `tools/bundle-kep.mjs` writes both.
 * Undefined when there is no code of this engine for this very program. V8 compiles the program again when the code was made under other flags.
 * @param path a script whose value is a function of `exports`, `require` and `__filename`
 */
export function runCompiled(path: string): CompiledProgram | undefined {
  const code = bytesOf(compiledCodePath(path));
  const source = code && bytesOf(path);
  if (!code || source?.compare(code, 0, compiledHeaderBytes, 0, compiledHeaderBytes) !== 0) return undefined;
  return runProgram(path, source.toString('latin1'), code.subarray(compiledHeaderBytes));
}

/** Runs a program, which has only ASCII characters and loads only modules of Node. `cachedData` is the code for it, if there is any. */
export function runProgram(path: string, source: string, cachedData?: Buffer): CompiledProgram {
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const script = new Script(source, { filename: path, importModuleDynamically, ...(cachedData ? { cachedData } : {}) });
  const exports = {};
  script.runInThisContext()(exports, process.getBuiltinModule, path);
  return { script, exports };
}

function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
