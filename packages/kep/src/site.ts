export { type BoardKind, boardOf, type Column, kepBoard } from './site/board-kind.js';
export { documentTree, type TextElement, type TextNode, textTags } from './site/document-tree.js';
export { linkTo } from './site/link-targets.js';
export { releaseOf, renderSite, type Site, withOwnPages } from './site/render-site.js';
export { type Readiness, type SiteKep, siteKep } from './site/site-kep.js';
