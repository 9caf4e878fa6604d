import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Something of others that a release contains. */
export interface Dependency {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  readonly purl: string;
  /** SHA-512 in hex; undefined where only the file inside is known. */
  readonly sha512?: string | undefined;
  /** Only on some machines. */
  readonly isOptional: boolean;
  /** Text of its licence; empty where this machine does not have it. */
  readonly licenseText: string;
}

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly peer?: boolean;
  readonly link?: boolean;
}

/**
 * Lists what the packages of a repository install, from its lock file. @throws Error for a package without a licence
 */
export function lockedDependencies(repository: string): Dependency[] {
  const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const found = Object.entries(lock.packages).flatMap(([path, locked]): Dependency[] => {
    const at = path.lastIndexOf('node_modules/');
    if (at < 0 || locked.link || locked.dev || locked.devOptional || locked.peer) return [];
    const name = path.slice(at + 'node_modules/'.length);
    const { version = '', license, integrity = '' } = locked;
    if (!license) throw new Error(`${name}@${version} has no licence in package-lock.json`);
    const [, hash] = /^sha512-(\S+)/.exec(integrity) ?? [];
    return [
      {
        name,
        version,
        license,
        purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
        sha512: hash && Buffer.from(hash, 'base64').toString('hex'),
        isOptional: locked.optional === true,
        licenseText: licenseIn(join(repository, path)),
      },
    ];
  });
  const once = new Map(found.map((one) => [one.purl, one]));
  return [...once.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
}

/** A software bill of materials in CycloneDX 1.5. Its serial number is drawn from what it lists. */
export function bomOf(version: string, dependencies: readonly Dependency[], time: Date): Buffer {
  const root = { type: 'application', 'bom-ref': `pkg:npm/slipway@${version}`, name: 'slipway', version };
  const components = dependencies.map((one) => ({
    type: 'library',
    'bom-ref': one.purl,
    name: one.name,
    version: one.version,
    purl: one.purl,
    scope: one.isOptional ? 'optional' : 'required',
    licenses: [/[ (]/.test(one.license) ? { expression: one.license } : licenseOf(one.license)],
    ...(one.sha512 ? { hashes: [{ alg: 'SHA-512', content: one.sha512 }] } : {}),
  }));
  const hex = createHash('sha256')
    .update(JSON.stringify([root, components]))
    .digest('hex');
  const uuid = [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)];
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuid.join('-')}`,
    version: 1,
    metadata: {
      timestamp: time.toISOString(),
      component: { ...root, purl: root['bom-ref'], licenses: [licenseOf('Apache-2.0')] },
    },
    components,
    dependencies: [{ ref: root['bom-ref'], dependsOn: components.map(({ purl }) => purl) }],
  };
  return Buffer.from(`${JSON.stringify(bom, null, 2)}\n`);
}

/** Every dependency with its licence, and the text of each licence as it came. */
export function licenseList(dependencies: readonly Dependency[]): Buffer {
  const lines = dependencies.map(({ name, version, license }) => `${name} ${version}: ${license}`);
  const texts = dependencies
    .filter(({ licenseText }) => licenseText !== '')
    .map(({ name, version, licenseText }) => `${'-'.repeat(80)}\n${name} ${version}\n\n${licenseText.trim()}\n`);
  const head = 'Slipway is under Apache-2.0. It contains or installs:\n';
  return Buffer.from([head, ...lines, '', ...texts].join('\n'));
}

/** A licence that SPDX has no identifier for is named. */
function licenseOf(license: string) {
  return { license: license.startsWith('LicenseRef-') ? { name: license } : { id: license } };
}

function licenseIn(folder: string): string {
  if (!existsSync(folder)) return '';
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)([.-].*)?$/i.test(name));
  return file ? readFileSync(join(folder, file), 'utf8') : '';
}
