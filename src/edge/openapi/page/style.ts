// Style of the documentation. It loads no font, picture or colour; it is dark where the reader's system is.

export const style = `
:root {
  color-scheme: light dark;
  --ground: #fdfdfc; --raised: #fff; --sunken: #f5f5f2; --line: #e4e3dd;
  --ink: #1d2230; --soft: #5d6475; --faint: #6f7686; --link: #0f5fae; --accent: #0b6e5f;
  --get: #0f5fae; --post: #0b6e5f; --delete: #b3261e; --code: #1d2230;
  --ok: #0b6e5f; --refused: #8a5300; --fault: #b3261e;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14161b; --raised: #1a1d24; --sunken: #20242c; --line: #2f343f;
    --ink: #e4e7ee; --soft: #a3abba; --faint: #8d95a5; --link: #7db8f5; --accent: #5cc9b3;
    --get: #7db8f5; --post: #5cc9b3; --delete: #f2938c; --code: #dfe3ec;
    --ok: #5cc9b3; --refused: #e0b060; --fault: #f2938c;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 3.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.6 var(--sans); }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
code, pre { font-family: var(--mono); font-size: .86em; }
p code, li code, td code { overflow-wrap: anywhere; }
p code, li code, .why code { background: var(--sunken); border-radius: 4px; padding: .1em .3em; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; background: var(--raised); padding: .5rem 1rem; z-index: 2; }

.layout { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 88rem; margin: 0 auto; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 2rem 1rem 2rem 1.5rem; border-right: 1px solid var(--line); font-size: .875rem; }
nav .brand { font-weight: 650; font-size: 1.05rem; color: var(--ink); }
nav .version { color: var(--faint); margin-left: .4rem; font-size: .8rem; }
nav h2 { font-size: .72rem; letter-spacing: .06em; text-transform: uppercase; color: var(--faint); margin: 1.4rem 0 .3rem; font-weight: 600; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .17rem .4rem; margin-left: -.4rem; border-radius: 5px; color: var(--soft); }
nav li a:hover { background: var(--sunken); color: var(--ink); text-decoration: none; }
nav .top { display: flex; justify-content: space-between; align-items: center; }
nav label, nav input { display: none; }

main { padding: 2.25rem clamp(1.1rem, 4vw, 3.5rem) 6rem; min-width: 0; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; letter-spacing: -.02em; font-weight: 680; }
.lead { font-size: 1.08rem; color: var(--soft); margin: 0 0 1.5rem; max-width: 46rem; }
.intro { max-width: 48rem; }
.intro ul { padding-left: 1.1rem; }
.intro li { margin: .35rem 0; }
main > section { margin-top: 3.5rem; }
main > section > h2 { font-size: 1.4rem; margin: 0 0 1rem; letter-spacing: -.01em; padding-bottom: .5rem; border-bottom: 1px solid var(--line); }

article { padding: 1.9rem 0 2.2rem; border-bottom: 1px solid var(--line); }
article:last-child { border-bottom: 0; }
article h3 { margin: 0; font-size: 1.12rem; font-weight: 620; }
.route { margin: .35rem 0 .7rem; font-family: var(--mono); font-size: .9rem; display: flex; flex-wrap: wrap; gap: .6rem; align-items: baseline; overflow-wrap: anywhere; }
.method { font-family: var(--mono); font-weight: 700; font-size: .75rem; letter-spacing: .02em; }
.method.get { color: var(--get); } .method.post, .method.put { color: var(--post); } .method.delete { color: var(--delete); }
nav .method { font-size: .62rem; width: 2.6rem; flex: none; text-align: right; }
.access { display: flex; flex-wrap: wrap; gap: .4rem; margin: 0 0 .8rem; padding: 0; list-style: none; font-size: .78rem; color: var(--soft); }
.access li { border: 1px solid var(--line); border-radius: 99px; padding: .05rem .6rem; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 2.25rem; align-items: start; }
.columns > div { min-width: 0; }
h4 { font-size: .74rem; text-transform: uppercase; letter-spacing: .06em; color: var(--faint); margin: 1.4rem 0 .4rem; font-weight: 600; }
.columns > div > h4:first-child { margin-top: 0; }
.sample > h4:first-child { margin-top: 0; }

table { border-collapse: collapse; width: 100%; font-size: .9rem; }
td, th { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line); }
th { font-size: .74rem; color: var(--faint); font-weight: 600; }
tr:first-child td, tr:first-child th { border-top: 0; }
.fields td:first-child { width: 38%; }
.name { font-weight: 600; overflow-wrap: anywhere; }
.errors .name { overflow-wrap: normal; }
.type { color: var(--soft); font-size: .84rem; }
.mark { font-size: .74rem; white-space: nowrap; }
.mark.required { color: var(--refused); } .mark.optional { color: var(--faint); }
.body { font-size: .9rem; margin-bottom: .3rem; }
.fields div { margin-top: .1rem; }

pre { background: var(--sunken); color: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; margin: 0; overflow-x: auto; line-height: 1.5; font-size: .8rem; tab-size: 2; }
.block { position: relative; }
.in { display: none; }
.request + .request { margin-top: .8rem; }
body:has(#in-curl:checked) .in.curl, body:has(#in-javascript:checked) .in.javascript, body:has(#in-python:checked) .in.python { display: block; }
.languages { display: flex; gap: .3rem 1rem; flex-wrap: wrap; align-items: center; border: 0; padding: .5rem 0; margin: .5rem 0 .1rem; position: sticky; top: 0; z-index: 1; background: var(--ground); }
.languages legend { float: left; margin-right: 1rem; font-weight: 600; }
.languages label { cursor: pointer; margin-left: -.6rem; }
.block button { position: absolute; top: .4rem; right: .4rem; font: 600 .7rem var(--sans); color: var(--soft); background: var(--raised); border: 1px solid var(--line); border-radius: 5px; padding: .2rem .5rem; cursor: pointer; opacity: 0; }
.block:hover button, .block button:focus-visible { opacity: 1; }
@media (hover: none) { .block button { opacity: 1; } }

.answers { list-style: none; margin: 0; padding: 0; font-size: .9rem; }
.answers > li { padding: .4rem 0; border-top: 1px solid var(--line); display: grid; grid-template-columns: 2.7rem minmax(0, 1fr); }
.answers > li:first-child { border-top: 0; }
.status { font-family: var(--mono); font-weight: 700; font-size: .84rem; color: var(--refused); }
.status.ok { color: var(--ok); } .status.fault { color: var(--fault); }
.headers { color: var(--faint); font-size: .8rem; }
.schemas { columns: 2; column-gap: 2.25rem; }
.schemas article { break-inside: avoid; border-bottom: 0; padding: 0 0 1.8rem; }
.schemas h3 { font-family: var(--mono); font-size: .95rem; }
.errors td:nth-child(2) { font-family: var(--mono); font-size: .84rem; }

@media (max-width: 72rem) {
  .columns { grid-template-columns: minmax(0, 1fr); gap: 1.2rem; }
  .schemas { columns: 1; }
}
@media (max-width: 52rem) {
  .layout { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding: .8rem 1.1rem; }
  nav label { display: block; border: 1px solid var(--line); border-radius: 6px; padding: .25rem .7rem; cursor: pointer; color: var(--soft); }
  nav input { display: block; position: absolute; opacity: 0; pointer-events: none; }
  nav:has(input:focus-visible) label { outline: 2px solid var(--link); outline-offset: 2px; }
  nav .contents { display: none; }
  nav input:checked ~ .contents { display: block; }
  main { padding-top: 1.5rem; }
  h1 { font-size: 1.6rem; }
  nav li a { padding: .35rem .4rem; }
  .fields, .fields tbody, .fields tr, .fields td { display: block; width: auto; }
  .fields td { padding: 0; border: 0; }
  .fields td:first-child { width: auto; }
  .fields tr { padding: .55rem 0; border-top: 1px solid var(--line); }
  .fields tr:first-child { border-top: 0; }
  .errors thead { display: none; }
  .errors tr { display: grid; grid-template-columns: 1fr auto; padding: .55rem 0; border-top: 1px solid var(--line); }
  .errors tbody tr:first-child { border-top: 0; }
  .errors td { padding: 0; border: 0; }
  .errors .why { grid-column: 1 / -1; }
}
@media print { nav { display: none; } .layout { display: block; } pre { white-space: pre-wrap; } }
`;
