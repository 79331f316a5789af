// The icons of the dashboard as two sprites, out of Heroicons (MIT). A page shows one with <use>, so no markup is parsed at run time.
//   IC1. The first view loads icons.svg alone: what only further pages show is in more-icons.svg.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import type {Plugin} from 'vite';

const firstFiles = {
  home: 'home',
  trends: 'presentation-chart-line',
  funnel: 'funnel',
  retention: 'arrow-uturn-left',
  lifecycle: 'arrows-up-down',
  paths: 'share',
  userGroup: 'user-group',
  users: 'users',
  bolt: 'bolt',
  bookmark: 'bookmark',
  bell: 'bell',
  send: 'paper-airplane',
  server: 'server-stack',
  chartBar: 'chart-bar',
  key: 'key',
  shield: 'shield-check',
  calendar: 'calendar',
  chevronDown: 'chevron-down',
  table: 'table-cells',
  window: 'window',
  warning: 'exclamation-triangle',
  search: 'magnifying-glass',
  signOut: 'arrow-right-start-on-rectangle',
  sun: 'sun',
  moon: 'moon',
} as const;
/** IC1. Their names begin with a capital letter: shell/icon.tsx knows them by it. */
const moreFiles = {
  Download: 'arrow-down-tray',
  More: 'ellipsis-horizontal',
  Pin: 'map-pin',
  Pause: 'pause',
  Play: 'play',
  Copy: 'clipboard-document',
  Check: 'check',
  Plus: 'plus',
  Trash: 'trash',
  Rotate: 'arrow-path',
  ChevronRight: 'chevron-right',
  ChevronLeft: 'chevron-left',
  Sparkles: 'sparkles',
  Rename: 'pencil-square',
  Flag: 'flag',
  ChevronUp: 'chevron-up',
  Close: 'x-mark',
} as const;
export type IconName = keyof typeof firstFiles | keyof typeof moreFiles;

const require = createRequire(import.meta.url);
const pathOf = (file: string): string => require.resolve(`heroicons/24/outline/${file}.svg`);
const symbol = ([id, file]: [string, string]): string => {
  const text = readFileSync(pathOf(file), 'utf8');
  const inner = /<svg[^>]*>([\s\S]*)<\/svg>/.exec(text)![1]!.trim();
  // The look of the lines is in parts.css (.icon), once for all icons.
  return `<symbol id="${id}" viewBox="0 0 24 24">${inner.replaceAll(/ stroke-line(?:cap|join)="round"/g, '')}</symbol>`;
};

const spriteOf = (files: Readonly<Record<string, string>>): string =>
  `<svg xmlns="http://www.w3.org/2000/svg">${Object.entries(files).map(symbol).join('')}</svg>`;

export const iconSprite = (): Plugin => ({
  name: 'icon-sprite',
  generateBundle() {
    // The name of one of the originals tells whose they are.
    const sprite = (name: string, files: Readonly<Record<string, string>>): unknown =>
      this.emitFile({
        type: 'asset',
        fileName: `assets/${name}.svg`,
        originalFileName: pathOf(Object.values(files)[0]!),
        source: spriteOf(files),
      });
    sprite('icons', firstFiles);
    sprite('more-icons', moreFiles);
  },
});
