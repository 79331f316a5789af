// `npm run build`: dependencies and compiled code, nothing else.

import {runScript} from './project.mjs';
import {setUp} from './setup.mjs';

await runScript(() => setUp({needsNatsServer: false}));
