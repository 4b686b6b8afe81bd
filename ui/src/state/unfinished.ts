/**
 * What a person has begun and not finished, by what it belongs to: kept while one looks elsewhere or loads the page again, and
 * gone with the tab.
 */

import { create, type StoreApi, type UseBoundStore } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";

interface Unfinished<T> {
  byKey: Record<string, T>;
  /** Have this there; nothing any more, if it is undefined. */
  put: (key: string, to: T | undefined) => void;
}

export function unfinished<T>(name: string): UseBoundStore<StoreApi<Unfinished<T>>> {
  return create<Unfinished<T>>()(
    persist(
      (set) => ({
        byKey: {},
        put: (key, to) =>
          set(({ byKey }) => {
            const { [key]: _, ...others } = byKey;
            return { byKey: to === undefined ? others : { ...others, [key]: to } };
          }),
      }),
      { name: `outtake-${name}`, version: 2, storage: createJSONStorage(() => sessionStorage) },
    ),
  );
}
