import { type Html, type HtmlPart, html } from './html.js';

/** One page, to be put into the frame that all pages share. */
export interface Page {
  readonly title: string;
  /** How to get to the root of the site: nothing, or `../`. */
  readonly up: '' | '../';
  readonly current: 'board' | 'releases' | 'timeline' | 'kep';
  readonly body: Html;
  readonly script?: boolean;
  /** Whether the site has pages with releases. */
  readonly hasReleases: boolean;
}

const policy =
  "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'";

/** A whole page: it loads nothing from elsewhere, and works without scripts and from a folder on disk. */
export function renderPage({ title, up, current, body, script, hasReleases }: Page): string {
  const link = (name: Page['current'], href: string, label: HtmlPart) =>
    html`<a href="${up}${href}"${current === name && html` aria-current="page"`}>${label}</a>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${up}site.css">
</head>
<body>
<a class="skip" href="#page.main">Skip to the content</a>
<header class="top">
<p class="name">Enhancement proposals</p>
<nav aria-label="Pages">${link('board', 'index.html', 'Board')}${hasReleases && html` ${link('releases', 'releases.html', 'Releases')} ${link('timeline', 'timeline.html', 'Timeline')}`}</nav>
</header>
<main id="page.main" class="page-${current}">
${body}
</main>
${script && html`<script src="${up}filter.js"></script>`}
</body>
</html>
`.text;
}
