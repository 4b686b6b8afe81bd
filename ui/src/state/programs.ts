/** The programs that lie in the folder that the server was started in, or in another one. */

import { useQuery } from "@tanstack/react-query";

import { api, got } from "@/api/client";
import type { FoundProgram, FoundPrograms } from "@/api/schema";

/** What was found; undefined until it is known, and where the folder cannot be looked through. */
export function usePrograms(folder: string): FoundPrograms | undefined {
  const query = folder === "" ? {} : { folder };
  const { data } = useQuery({
    queryKey: ["programs", folder],
    queryFn: () => got(api.GET("/api/programs", { params: { query } })),
    retry: false,
  });
  return data;
}

/** The program that a spec names, as its file tells; null where it does not, undefined until that is known. */
export function useProgram(folder: string, spec: string): FoundProgram | null | undefined {
  const query = { spec, ...(folder !== "" && { folder }) };
  const { data, isError } = useQuery({
    queryKey: ["programs", folder, spec],
    queryFn: () => got(api.GET("/api/programs", { params: { query } })),
    enabled: spec !== "",
    retry: false,
  });
  return spec === "" || isError ? null : data && (data.programs[0] ?? null);
}
