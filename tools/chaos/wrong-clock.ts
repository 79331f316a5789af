// Makes the wall clock of a process wrong by the ms in a file. Node imports it before the program, and again in each thread
// (NODE_OPTIONS): the program has no switch for it. Each read of the clock reads the file, so the clock can jump at any moment.

import {readFileSync} from 'node:fs';

const {CHAOS_CLOCK_OFFSET_FILE: offsetFile} = process.env;
if (offsetFile === undefined) throw new Error('CHAOS_CLOCK_OFFSET_FILE names the file with the offset');

const rightMs = Date.now;
Date.now = () => rightMs() + Number(readFileSync(offsetFile, 'utf8'));
