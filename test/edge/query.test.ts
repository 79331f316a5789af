import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {RequestFailure} from '../../src/edge/failure.js';
import {anyText, list, optional} from '../../src/edge/query/parameters.js';
import {readQuery} from '../../src/edge/query/query.js';

const text = optional(anyText, {description: 'Any text.'});
const steps = list(anyText, {countMax: 5, expected: 'some texts', description: 'Texts.', example: ['a']});
const form = {name: text, other: text, 'steps[]': {...steps, read: (_: string, texts: readonly string[]) => texts}};

function failureOf(text: string): string | undefined {
  try {
    readQuery(text, form);
    return undefined;
  } catch (error) {
    const {code, field} = (error as RequestFailure).failure;
    expect(error).toBeInstanceOf(RequestFailure);
    expect(code).toBe('invalid_request');
    return field;
  }
}

describe('queries', () => {
  test('any text comes back as URLSearchParams encodes it', () => {
    const text = fc.string({unit: 'grapheme', minLength: 1});
    fc.assert(
      fc.property(text, fc.array(text, {maxLength: 4}), (name, steps) => {
        const pairs: [string, string][] = [['name', name], ...steps.map((step): [string, string] => ['steps[]', step])];
        const encoded = new URLSearchParams(pairs).toString();
        const query = readQuery(encoded, form);
        expect(query).toEqual({name, 'steps[]': steps, other: undefined});
      }),
    );
  });

  test.each([
    ['name=a&name=b', 'name'],
    ['name=', 'name'],
    ['name', 'name'],
    ['steps[]=a&steps[]=', 'steps[]'],
    ['steps=a', 'steps'],
    ['Name=a', 'Name'],
    ['constructor=a', 'constructor'],
    ['__proto__=a', '__proto__'],
    ['name=%', 'name'],
    ['name=%E4', 'name'],
    ['%zz=1', '%zz'],
  ])('%s is refused for %s', (text, field) => {
    expect(failureOf(text)).toBe(field);
  });

  test('who forgot the brackets of a list is told them, and who does not know the names is told these', () => {
    expect(() => readQuery('steps=a,b', form)).toThrow(
      'the query parameter steps is not a parameter of this route: write steps[]= before each value',
    );
    const known = Object.keys(form).join(', ');
    expect(() => readQuery('step=a', form)).toThrow(`is not a parameter of this route, which has ${known}`);
    expect(() => readQuery('step=a', {})).toThrow('is not a parameter of this route, which has none');
  });

  test.each(['', '&', 'name=a&&other=b', 'name==', 'name=a=b'])('%j is in order', (text) => {
    expect(failureOf(text)).toBeUndefined();
  });
});
