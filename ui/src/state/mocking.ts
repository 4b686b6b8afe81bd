/** The mock that a person is about to add by hand, so that a component anywhere can open the form in Changes. */

import { create } from "zustand";

export interface Mocked {
  component: string;
  call: string;
}

interface Mocking {
  /** The run that it is for; null while none is being added. */
  run: string | null;
  /** What is mocked; null while it has not been chosen. */
  of: Mocked | null;
  begin: (run: string, of: Mocked | null) => void;
  end: () => void;
}

export const useMocking = create<Mocking>()((set) => ({
  run: null,
  of: null,
  begin: (run, of) => set({ run, of }),
  end: () => set({ run: null, of: null }),
}));
