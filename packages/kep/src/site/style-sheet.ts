/** How the pages look: one column on a phone, all columns side by side on a desk; light and dark. */
export const styleSheet = `:root {
  --paper: #ffffff; --ink: #1b1f24; --faint: #57606a; --line: #d0d7de; --soft: #f6f8fa; --link: #0b5cad;
  --ready: #1a7f37; --open: #8a5a00; --blocked: #b3261e;
  --alpha: #cfe4ff; --beta: #bfe8d2; --stable: #d9d2f5; --gone: #e7e7e7; --bar-ink: #14202b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0f1419; --ink: #e6edf3; --faint: #9aa7b4; --line: #30363d; --soft: #171d24; --link: #79b8ff;
    --ready: #56d364; --open: #e3b341; --blocked: #ff8f86;
    --alpha: #1f4a7d; --beta: #1c5c40; --stable: #463a80; --gone: #3a3f45; --bar-ink: #f2f6fa;
  }
}
* { box-sizing: border-box; }
html { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); scroll-padding-top: 1rem; }
body { margin: 0; overflow-wrap: break-word; }
a { color: var(--link); }
a:focus-visible, .scroll:focus-visible, .cards:focus-visible, input:focus-visible, select:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px;
}
.skip { position: absolute; left: -100vw; background: var(--paper); padding: .5rem 1rem; }
.skip:focus { left: 0; top: 0; z-index: 2; }
.top { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; padding: .75rem 1rem; border-bottom: 1px solid var(--line); background: var(--soft); }
.top .name { margin: 0; font-weight: 600; }
.top nav a { margin-right: 1rem; display: inline-block; padding: .25rem 0; }
.top nav a[aria-current] { color: var(--ink); font-weight: 600; text-decoration: none; border-bottom: 2px solid var(--link); }
main { padding: 1rem; max-width: 110rem; margin: 0 auto; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .25rem 0 .5rem; }
h2 { font-size: 1.25rem; margin: 1.5rem 0 .5rem; }
h3 { font-size: 1.1rem; } h4, h5, h6 { font-size: 1rem; }
.number { color: var(--faint); font-variant-numeric: tabular-nums; font-weight: 600; }
.lead, .about, .card .facts, small { color: var(--faint); }
.count { color: var(--faint); font-weight: 400; font-size: .9em; }
.jump { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .5rem 0 1rem; }
.jump a { padding: .25rem 0; }
.filter { display: flex; flex-wrap: wrap; gap: .5rem 1rem; margin: .5rem 0 1rem; padding: .75rem; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; }
.filter[hidden] { display: none; }
.filter label { display: flex; flex-direction: column; font-size: .85rem; color: var(--faint); flex: 1 1 9rem; }
.filter input, .filter select { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: 4px; padding: .35rem .5rem; width: 100%; }
.board { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); }
.column { min-width: 0; }
.column h2 { margin: 0; text-transform: capitalize; }
.about { margin: 0 0 .5rem; font-size: .9rem; }
.cards { list-style: none; margin: 0; padding: 3px; display: grid; gap: .5rem; grid-template-columns: minmax(0, 1fr); max-height: 75vh; overflow-y: auto; align-content: start; }
.card { border: 1px solid var(--line); border-left: 4px solid var(--line); border-radius: 6px; padding: .5rem .75rem; background: var(--paper); content-visibility: auto; contain-intrinsic-size: auto 6rem; }
.card[hidden] { display: none; }
.graduates { list-style: none; margin: 0; padding: 0; display: grid; gap: .5rem; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); }
.graduates .card ul { margin: 0; padding-left: 1.1rem; font-size: .85rem; }
.page-releases h3 { text-transform: capitalize; margin: 1rem 0 .5rem; }
.card p { margin: .25rem 0 0; font-size: .85rem; }
.card.ready { border-left-color: var(--ready); } .card.open { border-left-color: var(--open); } .card.blocked { border-left-color: var(--blocked); }
.progress { display: flex; align-items: center; gap: .5rem; font-variant-numeric: tabular-nums; }
.progress progress { width: 5rem; height: .6rem; accent-color: var(--link); }
.state { font-weight: 600; }
.ready .state { color: var(--ready); } .open .state { color: var(--open); } .blocked .state { color: var(--blocked); }
dl.facts { display: grid; gap: .25rem 1.5rem; margin: 0 0 .5rem; grid-template-columns: minmax(0, 1fr); }
dl.facts div { display: flex; gap: .5rem; min-width: 0; } dl.facts .wide { grid-column: 1 / -1; }
dl.facts dt { color: var(--faint); flex: 0 0 6.5rem; } dl.facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.columns { display: grid; gap: 1rem 2rem; grid-template-columns: minmax(0, 1fr); }
.text { min-width: 0; }
.text pre, .scroll { overflow-x: auto; }
.text pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; }
code { font: .875em ui-monospace, monospace; } .text :not(pre) > code { background: var(--soft); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
.text img { max-width: 100%; height: auto; }
.text blockquote { margin-left: 0; padding-left: 1rem; border-left: 4px solid var(--line); color: var(--faint); }
.text table, .timeline { border-collapse: collapse; } .text th, .text td { border: 1px solid var(--line); padding: .35rem .6rem; vertical-align: top; }
.no-link { color: var(--faint); }
.contents ol, .findings { padding: 0; margin: 0; list-style: none; } .contents li { padding: .15rem 0; font-size: .9rem; } .contents .level-3 { padding-left: 1rem; }
.contents h2 { font-size: 1.1rem; margin-top: 0; } .contents { max-height: 16rem; overflow-y: auto; border: 1px solid var(--line); border-radius: 6px; padding: .75rem; }
.text .box { list-style: none; } .text .box > input, .text .box > p > input { margin: 0 .4rem 0 -1.4rem; }
.dot { display: inline-block; width: .6rem; height: .6rem; border-radius: 50%; border: 2px solid var(--open); vertical-align: baseline; } .dot.answered { background: var(--ready); border-color: var(--ready); }
aside h2 { font-size: 1.1rem; } aside ul { padding-left: 1.2rem; } aside li { font-size: .9rem; padding: .2rem 0; overflow-wrap: anywhere; }
.findings li { border-left: 3px solid var(--line); padding-left: .5rem; margin-bottom: .35rem; } .findings .error { border-left-color: var(--blocked); } .findings .warn { border-left-color: var(--open); }
.rule { font-weight: 600; }
.timeline { font-size: .85rem; }
.timeline th[scope=row] { text-align: left; font-weight: 400; min-width: 11rem; position: sticky; left: 0; background: var(--paper); padding: .3rem .5rem .3rem 0; }
.timeline thead th { font-weight: 400; color: var(--faint); padding: .2rem; min-width: 3.4rem; } .timeline thead th:first-child { text-align: left; position: sticky; left: 0; background: var(--paper); } .timeline thead .current { color: var(--ink); font-weight: 700; }
.timeline td { padding: .15rem 0; border-left: 1px solid var(--line); } .bar span { display: block; border-radius: 4px; padding: .1rem .3rem; color: var(--bar-ink); background: var(--gone); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; width: 0; min-width: 100%; }
.bar.alpha span { background: var(--alpha); } .bar.beta span { background: var(--beta); } .bar.stable span { background: var(--stable); }
.bar.planned span { background: transparent; color: var(--ink); border: 1px dashed var(--faint); }
@media (min-width: 48rem) {
  .board { grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); align-items: start; }
  dl.facts { grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)); } dl.facts dt { flex-basis: 9.5rem; }
  .timeline th[scope=row] { min-width: 20rem; }
}
@media (min-width: 70rem) {
  .jump { display: none; } .page-board .jump, .page-releases .jump, .page-timeline .jump { display: flex; }
  .columns { grid-template-columns: 15rem minmax(0, 1fr) 18rem; }
  .contents { border: 0; padding: 0; }
  .contents, aside { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; }
  .text { max-width: 52rem; }
}
@media print { .cards { max-height: none; } .top, .jump, .filter, aside, .contents { display: none; } }
`;
