/* A shared object that is no plug-in, because it exports no wrsim_plugin_models(). Thread: any. Real-time: no. */
__attribute__((visibility("default"))) int not_a_plugin(void);

int not_a_plugin(void) { return 0; }
