// Writes the documents of the description to the folder that is named: a step of the build (scripts/bundle.mjs).
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {descriptionFiles} from './description.js';

const [folder = '.'] = process.argv.slice(2);
for (const [name, text] of Object.entries(descriptionFiles())) writeFileSync(join(folder, name), text);
