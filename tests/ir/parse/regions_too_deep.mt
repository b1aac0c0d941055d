; run: --verify
kernel k(t: bool) {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t { if t { if t { if t { if t { if t { if t { if t { if t { if t {
    if t {  ; error: regions nest too deep here, got '{'
    }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
    }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
    }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
    }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
    }
}
