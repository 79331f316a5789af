// A value of JSON, as events and traits have it.
export type Json = null | boolean | number | string | Json[] | {[key: string]: Json};
