// Refusals in the words of who asked: what makes a question names members as the parameters of routes do.
import {RequestFailure} from '../failure.js';

/** Runs `read`. The field of its refusal gets the name that `nameOf` has for it; undefined: it keeps its own. */
export function renamed<Value>(nameOf: (field: string) => string | undefined, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.failure.field === undefined) throw error;
    const {field, message} = error.failure;
    const name = nameOf(field);
    if (name === undefined) throw error;
    // A name with signs in it is no word of prose.
    const isNamed = message.startsWith(field) || /[_[]/.test(field);
    throw new RequestFailure({
      ...error.failure,
      field: name,
      message: isNamed ? message.replace(field, name) : message,
    });
  }
}

/** The number in the brackets that end a name, and the name before them. */
export function numberIn(field: string): {readonly base: string; readonly number: number} | undefined {
  const [, base, number] = /^(\w+)\[(\d+)\]$/.exec(field) ?? [];
  return base === undefined ? undefined : {base, number: Number(number)};
}
