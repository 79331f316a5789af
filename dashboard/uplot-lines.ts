// uPlot without what no chart here draws: bars, steps, curves, and joins of tables. Its default export names
// them, so that no bundler can drop them. The build fails when a new version of uPlot lacks one of these lines.
import type {Plugin} from 'vite';

const unused = [
  '	(paths.stepped = stepped);\n',
  '	(paths.bars    = bars);\n',
  '	(paths.spline  = monotoneCubic);\n',
  '	uPlot.join = join;\n',
  'uPlot.rangeAsinh = rangeAsinh;\n',
];

export const uplotLines = (): Plugin => ({
  name: 'uplot-lines',
  transform: {
    filter: {id: /uPlot\.esm\.js$/},
    handler(code) {
      const missing = unused.find((line) => !code.includes(line));
      if (missing !== undefined) this.error(`uPlot has no line "${missing.trim()}": see dashboard/uplot-lines.ts`);
      return {code: unused.reduce((left, line) => left.replace(line, ''), code), map: null};
    },
  },
});
