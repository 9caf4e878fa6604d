import { localPath } from '../facts/links.js';
import type { LinkTargets } from './render-markdown.js';
import type { SiteKep } from './site-kep.js';

/** A picture that belongs to a page: relative to the root of the checkout, and to the site. */
export interface Asset {
  readonly from: string;
  readonly to: string;
}

const pictures = /\.(?:png|jpe?g|gif|svg|webp)$/i;

/**
 * Resolves a link of the proposal in a directory: to a heading, to the web, to the page of another proposal. Undefined for
 * everything else.
 */
export function linkTo(
  target: string,
  directory: string,
  pageOf: (directory: string) => string | undefined,
): string | undefined {
  if (target.startsWith('#')) return target;
  if (/^(?:https?:\/\/|mailto:)/i.test(target)) return target;
  const path = localPath(target, directory)?.replace(/\/(?:README\.md|kep\.yaml)$/, '');
  const page = path === undefined ? undefined : pageOf(path);
  return page && `${page}${/#.*$/.exec(target)?.[0] ?? ''}`;
}

/**
 * Maps the links of a proposal to those on its page: other proposals have pages, pictures are copied, anchors and
 * addresses stay. Everything else leads nowhere. Pictures are added to `assets`.
 */
export function linkTargets(
  kep: SiteKep,
  pageOf: (directory: string) => string | undefined,
  exists: (path: string) => boolean,
  assets: Map<string, Asset>,
): LinkTargets {
  return {
    link: (target) =>
      linkTo(target, kep.directory, (directory) => {
        const page = pageOf(directory);
        return page && `${page}.html`;
      }),
    image(target) {
      const path = localPath(target, kep.directory);
      if (path === undefined || !pictures.test(path) || !exists(path)) return undefined;
      const to = `pictures/${path.replace(/[^\w./-]+/g, '_')}`;
      assets.set(to, { from: path, to });
      return `../${to}`;
    },
  };
}
