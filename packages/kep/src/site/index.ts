export { releaseOf, renderSite, type Site } from './render-site.js';
export { type SiteKep, siteKep } from './site-kep.js';
