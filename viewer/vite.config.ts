import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";
import { securityPolicy } from "./security_policy.ts";

// One file: the report must open from a disk, without a network.
export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), securityPolicy()],
  build: { target: "es2022", cssMinify: true, reportCompressedSize: false },
});
