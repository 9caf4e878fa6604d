export { releaseOf, renderSite, type Site } from './site/render-site.js';
export { type SiteKep, siteKep } from './site/site-kep.js';
